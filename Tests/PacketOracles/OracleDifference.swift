/// A difference between ffprobe's packet list and the standards, with its correction.
///
/// The tests of the library's readers and of `inspect --packets` accept no other differences.
enum OracleDifference: Sendable {
    /// The file ends inside the last packet. ffprobe returns the available part, if any; this library throws an error.
    case truncatedLastPacket
    /// A picture in the metadata that ffprobe lists as a stream. This library treats it as the artwork of the movie or
    /// tag.
    case artwork
    /// ffprobe moves all times by a number of ticks. The fragment's composition offsets are negative, and ffprobe
    /// raises the lowest to zero, although the empty edit at the start leaves enough room. By ISO/IEC 14496-12, 8.6.1.3
    /// and 8.6.6, a sample is presented at its composition time plus the empty edit.
    case shifted(Int64)
    /// ffprobe extracts the CEA-608 pairs from the boxes of a sample, and treats the header of a second box as captions
    /// (QuickTime File Format, closed captioning).
    case captions
    /// ffprobe reads a text track as chapters and lists none of its samples.
    case chapters
    /// ffprobe stops where it can't decrypt, although the tables list all samples.
    case stopsAtEncryption
    /// ffprobe returns the partial frames at both ends of the file, and counts the first one as whole. By ISO/IEC
    /// 13818-1, 2.7.5, the timestamp belongs to the first frame that begins in its packet.
    case partialFrames(frameSize: Int)
    /// ffprobe interprets the first five bytes as the header of a metadata access unit (ISO/IEC 13818-1, 2.12.4), which
    /// only streams with id 0xFC have. In a private stream the payload is the tag itself (Timed Metadata for HLS, 2).
    case lacksFiveBytes
    /// ffprobe omits the decoding time of the first picture if this picture has only a PTS and later pictures are
    /// reordered. By ISO/IEC 13818-1, 2.4.3.7, the decoding time then equals the presentation time.
    case lacksFirstDecodingTime

    /// The differences by path and stream number.
    static let all: [String: [Int: OracleDifference]] = [
        "abema-go-mp4/sample_qt.mp4": [0: .truncatedLastPacket],
        "alfg-mp4-rust/tests/samples/big_buck_bunny_metadata.m4v": [2: .artwork],
        "androidx-media/media/ts/sample_ac3.ts": [0: .partialFrames(frameSize: 1536)],
        "androidx-media/media/ts/sample_with_id3.adts": [1: .artwork],
        "eyevinn-mp4ff/examples/multitrack/testdata/main_1.mp4": [1: .captions],
        "eyevinn-mp4ff/mp4/testdata/cbcs.mp4": [0: .stopsAtEncryption, 1: .captions],
        "eyevinn-mp4ff/mp4/testdata/cbcsdec.mp4": [1: .captions],
        "eyevinn-mp4ff/mp4/testdata/init_prog.mp4": [0: .truncatedLastPacket],
        "eyevinn-mp4ff/mp4/testdata/vvc_400kbps_2s.mp4": [0: .shifted(14_848)],
        "shaka-player/id3-metadata.ts": [1: .lacksFiveBytes],
        "shaka-player/small.mp4": [2: .chapters],
        "videojs-http-streaming/segments/id3.ts": [0: .lacksFirstDecodingTime, 1: .lacksFiveBytes],
        "videojs-http-streaming/segments/oneSecond.ts": [0: .lacksFirstDecodingTime],
        "videojs-http-streaming/segments/zeroLength.ts": [2: .lacksFiveBytes],
    ]

    /// Returns the stream corrected according to the standards, or nil for artwork.
    func corrected(_ stream: OracleStream) -> OracleStream? {
        var stream = stream
        switch self {
        case .artwork: return nil
        case .truncatedLastPacket: stream.packets = stream.packets.dropLast()
        case .chapters, .stopsAtEncryption: stream.isTruncated = true
        case .shifted(let ticks):
            for index in stream.packets.indices {
                stream.packets[index].pts = stream.packets[index].pts.map { $0 - ticks }
                stream.packets[index].dts = stream.packets[index].dts.map { $0 - ticks }
            }
        case .captions:
            // In cbcs.mp4, ffprobe also stops reading the captions where it can't decrypt the video.
            stream.isTruncated = true
            for index in stream.packets.indices { stream.packets[index].content = .captions }
        case .lacksFiveBytes:
            for index in stream.packets.indices { stream.packets[index].content = .withoutFirst(5) }
        case .partialFrames(let frameSize):
            stream.packets.removeAll { $0.size != frameSize }
            stream.packets[0].pts = 0
            stream.packets[0].dts = 0
        case .lacksFirstDecodingTime:
            stream.packets[0].dts = stream.packets[0].pts
        }
        return stream
    }
}
