import HLS
import Testing

/// Hostile input that would take minutes or gigabytes if time or memory grew quadratically.
@Suite(.timeLimit(.minutes(30))) struct HostileInputTests {
    private func parse(_ text: String) {
        let bytes = Array(text.utf8)
        _ = try? PlaylistParser().parse(bytes)
        _ = PlaylistReferences().all(in: bytes)
    }

    @Test func parsesManyAttributesInLinearTime() {
        let attributes = (0..<50_000).map { "A\($0)=1" }.joined(separator: ",")
        parse("#EXTM3U\n#EXT-X-MAP:\(attributes)\n#EXTINF:4,\na\n")
    }

    @Test func parsesOpeningBracesInLinearTime() {
        let braces = String(repeating: "{$", count: 200_000)
        parse("#EXTM3U\n#EXTINF:4,\n\(braces)\n#EXTINF:4,\n\(braces)}\n")
    }

    @Test func limitsKeysInForce() throws {
        let keys = (0..<5000).map { "#EXT-X-KEY:METHOD=AES-128,URI=\"k\",KEYFORMAT=\"f\($0)\"\n" }.joined()
        let text = "#EXTM3U\n\(keys)#EXTINF:4,\na\n"
        parse(text)
        let playlist = try PlaylistParser().parse(text).playlist
        #expect(playlist.media?.segments[0].keys.count == 64)
        try expectIdentity(try PlaylistParser().parse(text), "keys")
    }

    @Test func parsesTagsWithoutSegmentsInLinearTime() {
        let parts = String(repeating: "#EXT-X-PART:DURATION=1,URI=\"p\"\n", count: 5000)
        let durations = String(repeating: "#EXTINF:1 a=\"b\",\n", count: 5000)
        parse("#EXTM3U\n\(parts)\(durations)")
        parse("#EXTM3U\n#EXTINF:1,\n" + String(repeating: "#EXT-X-A\n", count: 20_000))
    }

    @Test func limitsVariableExpansion() {
        let long = String(repeating: "x", count: 60_000)
        let lines = String(repeating: "{$a}\n", count: 2000)
        let bytes = Array("#EXTM3U\n#EXT-X-DEFINE:NAME=\"a\",VALUE=\"\(long)\"\n#EXTINF:1,\n\(lines)".utf8)
        #expect(throws: PlaylistError.playlistTooLong(limit: 64 * 1024 * 1024)) { try PlaylistParser().parse(bytes) }
        var total = 0
        PlaylistReferences().forEach(in: bytes) { total += $0.uri.utf8.count }
        #expect(total < 65 * 1024 * 1024)
    }

    @Test func rewritesWithoutExcessCapacity() {
        let lines = (0..<20_000).map { "#EXTINF:4,\n/segment-\($0).ts\n" }.joined()
        let bytes = Array("#EXTM3U\n\(lines)".utf8)
        var rewritten = PlaylistReferences().rewritten(bytes) { "/p" + $0.uri }
        #expect(rewritten.count == bytes.count + 40_000)
        #expect(rewritten.capacity < 2 * bytes.count)
        let prefix = String(repeating: "p", count: 15)
        rewritten = PlaylistReferences().rewritten(bytes) { prefix + $0.uri }
        #expect(rewritten.count == bytes.count + 300_000)
        #expect(rewritten.capacity < rewritten.count * 5 / 4)
    }
}
