/// Where ffprobe's packets of a file aren't what the file says, by the standards, and what they are.
///
/// This is the one list of exceptions: of the library's readers and of the command.
enum OracleDifference: Sendable {
    /// The file ends in the last packet. ffprobe hands out the part that is there, if any; reading it is an error here.
    case endsInAPacket
    /// A picture in the metadata, which ffprobe lists as a stream: here it's the movie's or the tag's artwork.
    case artwork
    /// ffprobe moves all times by these ticks. A fragment's composition offsets are negative; it makes the lowest of them
    /// zero, although the empty edit at the start leaves room for all. A sample is shown at its composition time plus the
    /// empty edit (ISO/IEC 14496-12, 8.6.1.3 and 8.6.6).
    case movedBy(Int64)
    /// ffprobe takes the pairs of CEA-608 out of the boxes that are the samples, with the header of a second box as if it
    /// were captions (QuickTime File Format, closed captioning).
    case captions
    /// A track of text that ffprobe reads as chapters, and lists none of its samples.
    case chapters
    /// ffprobe stops where it can't decrypt; the tables tell all samples.
    case stopsWhereEncrypted
    /// ffprobe hands out the halves of frames at both ends of the file and counts the first as a whole one. The stamp is of
    /// the first frame that begins in its packet (ISO/IEC 13818-1, 2.7.5): of the first whole one.
    case halvesOfFrames(whole: Int)
    /// ffprobe takes the first five bytes for the header of a metadata access unit (ISO/IEC 13818-1, 2.12.4), which only
    /// streams with the id 0xFC have; in a private stream the tag itself is the payload (Timed Metadata for HLS, 2).
    case losesFiveBytes
    /// ffprobe forgets the decoding time of a first picture with one stamp alone, when later ones are reordered: it is the
    /// time at which it's shown (ISO/IEC 13818-1, 2.4.3.7).
    case forgetsFirstDecodingTime

    /// Those of each file, by its path and the stream's number.
    static let all: [String: [Int: OracleDifference]] = [
        "abema-go-mp4/sample_qt.mp4": [0: .endsInAPacket],
        "alfg-mp4-rust/tests/samples/big_buck_bunny_metadata.m4v": [2: .artwork],
        "androidx-media/media/ts/sample_ac3.ts": [0: .halvesOfFrames(whole: 1536)],
        "androidx-media/media/ts/sample_with_id3.adts": [1: .artwork],
        "eyevinn-mp4ff/examples/multitrack/testdata/main_1.mp4": [1: .captions],
        "eyevinn-mp4ff/mp4/testdata/cbcs.mp4": [0: .stopsWhereEncrypted, 1: .captions],
        "eyevinn-mp4ff/mp4/testdata/cbcsdec.mp4": [1: .captions],
        "eyevinn-mp4ff/mp4/testdata/init_prog.mp4": [0: .endsInAPacket],
        "eyevinn-mp4ff/mp4/testdata/vvc_400kbps_2s.mp4": [0: .movedBy(14_848)],
        "shaka-player/id3-metadata.ts": [1: .losesFiveBytes],
        "shaka-player/small.mp4": [2: .chapters],
        "videojs-http-streaming/segments/id3.ts": [0: .forgetsFirstDecodingTime, 1: .losesFiveBytes],
        "videojs-http-streaming/segments/oneSecond.ts": [0: .forgetsFirstDecodingTime],
        "videojs-http-streaming/segments/zeroLength.ts": [2: .losesFiveBytes],
    ]

    /// What the stream is by the standards; nil where it's none.
    func corrected(_ stream: OracleStream) -> OracleStream? {
        var stream = stream
        switch self {
        case .artwork: return nil
        case .endsInAPacket: stream.packets = stream.packets.dropLast()
        case .chapters, .stopsWhereEncrypted: stream.isCutShort = true
        case .movedBy(let ticks):
            for index in stream.packets.indices {
                stream.packets[index].pts = stream.packets[index].pts.map { $0 - ticks }
                stream.packets[index].dts = stream.packets[index].dts.map { $0 - ticks }
            }
        case .captions:
            // It stops there with the pictures.
            stream.isCutShort = true
            for index in stream.packets.indices { stream.packets[index].content = .captions }
        case .losesFiveBytes:
            for index in stream.packets.indices { stream.packets[index].content = .withoutFirst(5) }
        case .halvesOfFrames(let whole):
            stream.packets.removeAll { $0.size != whole }
            stream.packets[0].pts = 0
            stream.packets[0].dts = 0
        case .forgetsFirstDecodingTime:
            stream.packets[0].dts = stream.packets[0].pts
        }
        return stream
    }
}
