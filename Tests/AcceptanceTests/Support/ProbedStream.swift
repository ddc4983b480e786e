import Foundation

/// An elementary stream of a file or playlist with all its packets, as read by ffprobe.
struct ProbedStream {
    struct Packet: Hashable {
        /// The presentation time in ticks of the stream's time base.
        var pts: Int
        var dts: Int
        var size: Int
        var isSync: Bool
        /// The CRC-32 of the bytes.
        var checksum: String
    }

    /// `video` or `audio`.
    var type: String
    var codec: String
    /// The sample rate of audio in hertz.
    var sampleRate: Int
    /// The duration of a tick in seconds.
    var tick: Double
    var packets: [Packet]

    /// The earliest presentation time in seconds.
    var start: Double { Double(packets.map(\.pts).min() ?? 0) * tick }

    /// Returns the video and audio streams at `url`, in order of their numbers.
    static func read(from url: String) async throws -> [ProbedStream] {
        let fields = "stream=index,codec_type,codec_name,time_base,sample_rate:packet=stream_index,pts,dts,size,flags"
        let output = try await Peer.run(
            "ffprobe",
            ["-v", "error", "-of", "json", "-show_data_hash", "crc32", "-show_entries", "\(fields),data_hash", url],
            within: .seconds(120))
        let report = try JSONDecoder().decode(Report.self, from: output)
        let packets = Dictionary(grouping: report.packets ?? [], by: \.stream_index)
        return try (report.streams ?? []).sorted { $0.index < $1.index }.compactMap { stream in
            guard ["video", "audio"].contains(stream.codec_type) else { return nil }
            let base = stream.time_base.split(separator: "/").compactMap { Double($0) }
            guard base.count == 2 else { throw HarnessError("invalid time base: \(stream.time_base)") }
            return ProbedStream(
                type: stream.codec_type, codec: stream.codec_name ?? "", sampleRate: Int(stream.sample_rate ?? "") ?? 0,
                tick: base[0] / base[1], packets: (packets[stream.index] ?? []).map { $0.packet })
        }
    }

    /// Returns the duration of a file or playlist in seconds.
    static func duration(of url: String) async throws -> Double {
        let output = try await Peer.run(
            "ffprobe", ["-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", url])
        let text = String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard let seconds = Double(text) else { throw HarnessError("\(url) has no duration: \(text)") }
        return seconds
    }

    /// The output of ffprobe, with ffprobe's names.
    private struct Report: Decodable {
        struct Stream: Decodable {
            var index: Int
            var codec_type: String
            var codec_name: String?
            var time_base: String
            var sample_rate: String?
        }

        struct Packet: Decodable {
            var stream_index: Int
            var pts: Int?
            var dts: Int?
            var size: String
            var flags: String
            var data_hash: String

            /// The packet. If only one timestamp is present, it is both the presentation and the decoding time.
            var packet: ProbedStream.Packet {
                ProbedStream.Packet(
                    pts: pts ?? dts ?? .min, dts: dts ?? pts ?? .min, size: Int(size) ?? -1,
                    isSync: flags.hasPrefix("K"), checksum: data_hash)
            }
        }

        var streams: [Stream]?
        var packets: [Packet]?
    }
}
