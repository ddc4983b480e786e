import Foundation
import HLS
import Synchronization

/// A low-latency origin (RFC 8216bis §6.2.5) of a stream that grows by a part of 0.5 s at a time, from the first request
/// on. It delays responses to blocking reloads and requests for hinted part files until the parts are available, and
/// omits old segments from delta updates.
final class LowLatencyOrigin: Sendable {
    /// The way parts are addressed.
    enum Parts: String, Sendable, CaseIterable {
        /// Separate resources in addition to the segment.
        case files
        /// Byte ranges of the growing segment file.
        case byteRanges
    }

    static let playlist = "live.m3u8"
    static let segmentParts = 2
    private static let partDuration = 0.5
    /// The number of parts available at the start.
    private static let head = 6
    /// The skip boundary in seconds: six target durations, the minimum.
    private static let skipBoundary = 6

    let kind: Parts
    let initialization: Data
    let parts: [Data]
    private let firstRequest = Mutex<Date?>(nil)

    init(_ kind: Parts, media: LowLatencyMedia) {
        self.kind = kind
        initialization = media.initialization
        parts = media.parts
    }

    func serve() throws -> ScriptedOrigin { try ScriptedOrigin { self.answer($0) } }

    func segment(_ number: Int) -> Data {
        let first = number * Self.segmentParts
        return parts[first..<max(first, min(first + Self.segmentParts, available))].reduce(Data(), +)
    }

    /// The time of the first request.
    private var start: Date {
        firstRequest.withLock { date in
            let start = date ?? Date()
            date = start
            return start
        }
    }

    private var available: Int {
        min(parts.count, Self.head + Int(Date().timeIntervalSince(start) / Self.partDuration))
    }

    /// Waits until `count` parts are available, or all parts.
    private func wait(for count: Int) {
        guard min(count, parts.count) > available else { return }
        let date = start + Double(min(count, parts.count) - Self.head) * Self.partDuration
        while available < min(count, parts.count) { Thread.sleep(until: max(date, Date() + 0.001)) }
    }

    // MARK: - Responses

    private func answer(_ request: ScriptedOrigin.Request) -> ScriptedOrigin.Response {
        let name = request.path.dropFirst().prefix { $0 != "?" }
        if name == Self.playlist { return playlist(DeliveryDirectives(url: request.path)) }
        let media = ["Content-Type": "video/mp4"]
        if name == "init.mp4" { return .init(fields: media, body: initialization) }
        if let part = name.firstMatch(of: #/^part(\d+)\.m4s$/#).flatMap({ Int($0.1) }), parts.indices.contains(part) {
            // Waits for the hinted part. Later parts aren't announced yet.
            guard part <= available else { return .init(status: 404) }
            wait(for: part + 1)
            return .init(fields: media, body: parts[part])
        }
        if let number = name.firstMatch(of: #/^segment(\d+)\.m4s$/#).flatMap({ Int($0.1) }) {
            let body = segment(number)
            guard !body.isEmpty else { return .init(status: 404) }
            return .init(fields: media.merging(["ETag": "\"\(number)-\(body.count)\""]) { $1 }, body: body)
        }
        return .init(status: 404)
    }

    private func playlist(_ directives: DeliveryDirectives) -> ScriptedOrigin.Response {
        if let number = directives.mediaSequence {
            let first = number * Self.segmentParts
            // A request too far in the future is refused (RFC 8216bis §6.2.5.2).
            guard first <= available + 2 * Self.segmentParts else { return .init(status: 400) }
            wait(for: directives.part.map { first + $0 + 1 } ?? first + Self.segmentParts)
        }
        return .init(
            fields: ["Content-Type": "application/vnd.apple.mpegurl"],
            body: Data(text(available, isDelta: directives.skip != nil).utf8))
    }

    private func text(_ count: Int, isDelta: Bool) -> String {
        let whole = count / Self.segmentParts
        let skipped = isDelta ? max(0, whole - Self.skipBoundary) : 0
        var text = """
            #EXTM3U
            #EXT-X-VERSION:9
            #EXT-X-TARGETDURATION:1
            #EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=1.5,CAN-SKIP-UNTIL=\(Self.skipBoundary)
            #EXT-X-PART-INF:PART-TARGET=\(Self.partDuration)
            #EXT-X-MEDIA-SEQUENCE:0

            """
        text += skipped > 0 ? "#EXT-X-SKIP:SKIPPED-SEGMENTS=\(skipped)\n" : "#EXT-X-MAP:URI=\"init.mp4\"\n"
        for number in skipped..<whole {
            // Parts are listed for the last three target durations.
            if number >= whole - 3 { text += partTags(of: number, until: count) }
            text += "#EXTINF:\(Double(Self.segmentParts) * Self.partDuration),\nsegment\(number).m4s\n"
        }
        text += partTags(of: whole, until: count)
        guard count < parts.count else { return text + "#EXT-X-ENDLIST\n" }
        let hint = kind == .files ? "URI=\"part\(count).m4s\"" : range(of: count).hint
        return text + "#EXT-X-PRELOAD-HINT:TYPE=PART,\(hint)\n"
    }

    private func partTags(of segment: Int, until count: Int) -> String {
        let first = segment * Self.segmentParts
        return (first..<max(first, min(first + Self.segmentParts, count))).map { part in
            let location = kind == .files ? "URI=\"part\(part).m4s\"" : range(of: part).tag
            return "#EXT-X-PART:DURATION=\(Self.partDuration),INDEPENDENT=YES,\(location)\n"
        }.joined()
    }

    private func range(of part: Int) -> (tag: String, hint: String) {
        let segment = part / Self.segmentParts
        let offset = parts[segment * Self.segmentParts..<part].reduce(0) { $0 + $1.count }
        let uri = "URI=\"segment\(segment).m4s\""
        return ("\(uri),BYTERANGE=\"\(parts[part].count)@\(offset)\"", "\(uri),BYTERANGE-START=\(offset)")
    }
}

/// The partial segments of a low-latency stream: video and audio in parts of 0.5 s, each independently decodable.
struct LowLatencyMedia: Sendable {
    var initialization: Data
    var parts: [Data]
    /// The checksums of all video frames.
    var pictures: [String]

    init(seconds: Int) async throws {
        let folder = try TemporaryFolder("parts")
        let source = ["-f", "lavfi", "-i", "testsrc2=s=320x180:r=24", "-f", "lavfi", "-i", "sine=440:r=48000"]
        let encoding = ["-t", "\(seconds)"] + StreamFixtures.encoding + ["-g", "12", "-keyint_min", "12"]
        let output = ["-f", "hls", "-hls_time", "0.5", "-hls_playlist_type", "vod", "-hls_segment_type", "fmp4"]
        let names = ["-hls_fmp4_init_filename", "init.mp4", "-hls_segment_filename", folder.file("%d.m4s")]
        let list = folder.file("all.m3u8")
        try await Peer.run("ffmpeg", ["-v", "error"] + source + encoding + output + names + [list])
        initialization = try Data(contentsOf: URL(filePath: folder.file("init.mp4")))
        parts = try (0..<2 * seconds).map { try Data(contentsOf: URL(filePath: folder.file("\($0).m4s"))) }
        pictures = try await StreamPlayer.ffmpeg.play(URL(filePath: list)).sums()
    }
}
