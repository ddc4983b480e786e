import Foundation

/// A summary of an elementary stream's packets as read by ffprobe, which changes if a packet is lost or repeated, or if
/// the stream is shifted.
struct StreamPackets: Hashable, CustomStringConvertible {
    var index: Int
    var type: String
    var codec: String
    var count: Int
    /// The total size of the packets in bytes.
    var bytes: Int
    /// The lowest presentation time in microseconds.
    var first: Int
    /// The highest presentation time in microseconds.
    var last: Int

    /// - Parameters:
    ///   - first: The lowest presentation time in seconds.
    ///   - last: The highest presentation time in seconds.
    init(index: Int, type: String, codec: String, count: Int, bytes: Int, first: Double, last: Double) {
        self.index = index
        self.type = type
        self.codec = codec
        self.count = count
        self.bytes = bytes
        self.first = Int((first * 1e6).rounded())
        self.last = Int((last * 1e6).rounded())
    }

    var description: String { "\(index) \(type) \(codec): \(count) packets, \(bytes) bytes, \(first)...\(last) µs" }

    /// Returns the summaries of the streams at `url`, in order of their numbers.
    static func read(from url: URL) async throws -> [StreamPackets] {
        // Uses JSON, because side data adds lines in ffprobe's other formats.
        let output = try await Peer.run(
            "ffprobe",
            ["-v", "error", "-of", "json", "-show_entries"]
                + ["stream=index,codec_type,codec_name:packet=stream_index,pts_time,size", url.absoluteString],
            within: .seconds(120))
        let report = try JSONDecoder().decode(Report.self, from: output)
        let packets = Dictionary(grouping: report.packets ?? [], by: \.stream_index)
        return (report.streams ?? []).map { stream in
            let mine = packets[stream.index] ?? []
            let times = mine.compactMap { $0.pts_time.flatMap { Double($0) } }
            return StreamPackets(
                index: stream.index, type: stream.codec_type ?? "", codec: stream.codec_name ?? "", count: mine.count,
                bytes: mine.reduce(0) { $0 + (Int($1.size) ?? 0) }, first: times.min() ?? 0, last: times.max() ?? 0)
        }.sorted { $0.index < $1.index }
    }

    /// The output of ffprobe, with ffprobe's names.
    private struct Report: Decodable {
        struct Stream: Decodable {
            var index: Int
            var codec_type: String?
            var codec_name: String?
        }

        struct Packet: Decodable {
            var stream_index: Int
            var pts_time: String?
            var size: String
        }

        var streams: [Stream]?
        var packets: [Packet]?
    }
}
