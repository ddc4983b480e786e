import Foundation
import HLS

/// A low-latency origin (RFC 8216bis, section 6.2.5): a stream that grows by a part of half a second at a time. It holds
/// reloads and hinted parts back until what they ask for is there, and leaves out of delta updates what is old.
final class LowLatencyOrigin: Sendable {
    /// How parts are offered.
    enum Parts: String, Sendable, CaseIterable {
        /// Each is a resource of its own, beside the segment's.
        case files
        /// Each is a byte range of its segment, which grows.
        case byteRanges
    }

    static let playlist = "live.m3u8"
    /// Parts in a segment.
    static let segmentParts = 2
    /// Seconds that a part lasts.
    private static let partDuration = 0.5
    /// Parts that are there at the beginning.
    private static let head = 6
    /// Seconds before the end that a delta update names: six target durations, the least allowed.
    private static let skipBoundary = 6

    let kind: Parts
    let initialization: Data
    let parts: [Data]
    private let start = Date()

    /// A stream of `media`, which begins to grow now.
    init(_ kind: Parts, media: LowLatencyMedia) {
        self.kind = kind
        initialization = media.initialization
        parts = media.parts
    }

    /// Starts to answer requests.
    func serve() throws -> ScriptedOrigin { try ScriptedOrigin { self.answer($0) } }

    /// The bytes of a segment, as far as they are there.
    func segment(_ number: Int) -> Data {
        let first = number * Self.segmentParts
        return parts[first..<max(first, min(first + Self.segmentParts, available))].reduce(Data(), +)
    }

    /// How many parts there are at this moment.
    private var available: Int {
        min(parts.count, Self.head + Int(Date().timeIntervalSince(start) / Self.partDuration))
    }

    /// Waits until there are so many parts, or all.
    private func wait(for count: Int) {
        guard min(count, parts.count) > available else { return }
        let date = start + Double(min(count, parts.count) - Self.head) * Self.partDuration
        while available < min(count, parts.count) { Thread.sleep(until: max(date, Date() + 0.001)) }
    }

    // MARK: - Answering

    private func answer(_ request: ScriptedOrigin.Request) -> ScriptedOrigin.Response {
        let name = request.path.dropFirst().prefix { $0 != "?" }
        if name == Self.playlist { return playlist(DeliveryDirectives(url: request.path)) }
        let media = ["Content-Type": "video/mp4"]
        if name == "init.mp4" { return .init(fields: media, body: initialization) }
        if let part = name.firstMatch(of: #/^part(\d+)\.m4s$/#).flatMap({ Int($0.1) }), parts.indices.contains(part) {
            // One that is hinted at is waited for; what comes after it isn't known yet.
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
            // Section 6.2.5.2: what is far ahead isn't waited for.
            guard first <= available + 2 * Self.segmentParts else { return .init(status: 400) }
            wait(for: directives.part.map { first + $0 + 1 } ?? first + Self.segmentParts)
        }
        return .init(
            fields: ["Content-Type": "application/vnd.apple.mpegurl"],
            body: Data(text(available, isDelta: directives.skip != nil).utf8))
    }

    /// The playlist with so many parts.
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
            let place = kind == .files ? "URI=\"part\(part).m4s\"" : range(of: part).tag
            return "#EXT-X-PART:DURATION=\(Self.partDuration),INDEPENDENT=YES,\(place)\n"
        }.joined()
    }

    private func range(of part: Int) -> (tag: String, hint: String) {
        let segment = part / Self.segmentParts
        let offset = parts[segment * Self.segmentParts..<part].reduce(0) { $0 + $1.count }
        let uri = "URI=\"segment\(segment).m4s\""
        return ("\(uri),BYTERANGE=\"\(parts[part].count)@\(offset)\"", "\(uri),BYTERANGE-START=\(offset)")
    }
}
