import Foundation

/// A radio channel of packed AAC (RFC 8216bis §3.1.3). ffmpeg encodes its ADTS segments, and an ID3 tag before each
/// contains the timestamp of its first sample. The test advances the live playlist.
final class PackedAudioChannel: Sendable {
    /// The path of the live playlist, for an origin that serves ``folder``.
    static let playlist = "live.m3u8"
    static let sampleRate = 48_000
    static let frameLength = 1024
    private static let window = 4

    struct Segment {
        var name: String
        /// The start in seconds from the start of the stream.
        var start: Double
        var duration: Double
    }

    let folder: TemporaryFolder
    let segments: [Segment]
    /// The start date of the stream in its playlist.
    let began: Date
    /// The path of a file with the frames of all segments, without tags.
    var whole: String { folder.file("whole.aac") }

    init(segments count: Int) async throws {
        let folder = try TemporaryFolder("radio")
        self.folder = folder
        began = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down) - Double(2 * count))
        // The pitch changes, so that all frames differ.
        let source = "aevalsrc=0.4*sin(2*PI*t*(300+20*t)):s=\(Self.sampleRate):d=\(2 * count)"
        try await Peer.run(
            "ffmpeg",
            ["-v", "error", "-f", "lavfi", "-i", source, "-c:a", "aac", "-b:a", "64k", folder.file("whole.aac")])
        try await Peer.run(
            "ffmpeg",
            ["-v", "error", "-i", folder.file("whole.aac"), "-c", "copy", "-f", "segment", "-segment_time", "2"]
                + ["-segment_format", "adts", "-segment_list_type", "csv", "-segment_list", folder.file("list.csv")]
                + [folder.file("%d.aac")])
        let list = try String(contentsOfFile: folder.file("list.csv"), encoding: .utf8)
        segments = try list.split(separator: "\n").map { line in
            let fields = line.split(separator: ",")
            guard fields.count == 3, let start = Double(fields[1]), let end = Double(fields[2]) else {
                throw HarnessError("no segment in “\(line)”")
            }
            return Segment(name: String(fields[0]), start: start, duration: end - start)
        }
        for segment in segments {
            let url = URL(filePath: folder.file(segment.name))
            try (Self.tag(at: segment.start + 10) + Data(contentsOf: url)).write(to: url)
        }
    }

    /// Returns the range of a segment's frames, counted from the start of the stream.
    func frames(of index: Int) -> Range<Int> {
        let (start, end) = (segments[index].start, segments[index].start + segments[index].duration)
        let rate = Double(Self.sampleRate) / Double(Self.frameLength)
        return Int((start * rate).rounded())..<Int((end * rate).rounded())
    }

    /// Returns the start date of a segment in milliseconds since 1970.
    func date(of index: Int) -> Int64 {
        Int64(((began.timeIntervalSince1970 + segments[index].start) * 1000).rounded())
    }

    /// Writes the playlist whose window ends after the first `count` segments. With all segments, the stream ends.
    func publish(_ count: Int) throws {
        let first = max(0, count - Self.window)
        var text = "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:\(first)\n"
        let start = segments[first].start
        let second = began.addingTimeInterval(start.rounded(.down)).formatted(.iso8601)
        let fraction = String(format: "%.6f", start - start.rounded(.down)).dropFirst()
        text += "#EXT-X-PROGRAM-DATE-TIME:\(second.dropLast())\(fraction)Z\n"
        for segment in segments[first..<count] {
            text += String(format: "#EXTINF:%.6f,\n", segment.duration) + segment.name + "\n"
        }
        if count == segments.count { text += "#EXT-X-ENDLIST\n" }
        try text.write(toFile: folder.file(Self.playlist), atomically: true, encoding: .utf8)
    }

    /// Returns an ID3 tag with a time in seconds as a 90 kHz timestamp.
    private static func tag(at seconds: Double) -> Data {
        let content =
            Data("com.apple.streaming.transportStreamTimestamp\0".utf8)
            + withUnsafeBytes(of: UInt64((seconds * 90_000).rounded()).bigEndian) { Data($0) }
        let frame = Data("PRIV".utf8) + Data([0, 0, 0, UInt8(content.count), 0, 0]) + content
        return Data("ID3".utf8) + Data([4, 0, 0, 0, 0, 0, UInt8(frame.count)]) + frame
    }
}
