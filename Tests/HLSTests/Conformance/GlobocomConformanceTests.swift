import HLS
import TestSupport
import Testing

/// The assertions in the tests of globocom/m3u8 (python-m3u8).
@Suite(.enabled(if: try Prerequisite.hasCorpora()))
struct GlobocomConformanceTests {
    /// The assertions that contradict RFC 8216bis, by playlist and path, with the section.
    static let exceptions: [String: String] = [
        // 4.1: A line that isn't blank and doesn't begin with # is a URI. JUNK is a URI without an EXTINF.
        "SIMPLE_PLAYLIST_MESSY segments/*/uri": "4.1",
        "SIMPLE_PLAYLIST_MESSY segments/*/duration": "4.1",
        // 4.2: Attribute names don't contain underscores. AVERAGE_BANDWIDTH isn't AVERAGE-BANDWIDTH.
        "VARIANT_PLAYLIST_WITH_IFRAME_AVERAGE_BANDWIDTH iframe_playlists/1/iframe_stream_info/average_bandwidth": "4.2",
        "VARIANT_PLAYLIST_WITH_IFRAME_AVERAGE_BANDWIDTH iframe_playlists/2/iframe_stream_info/average_bandwidth": "4.2",
        "VARIANT_PLAYLIST_WITH_IFRAME_AVERAGE_BANDWIDTH iframe_playlists/3/iframe_stream_info/average_bandwidth": "4.2",
        // 4.4.4.7: EXT-X-GAP applies to the media segment. Parts have a GAP attribute (4.4.4.9).
        "GAP_IN_PARTS_PLAYLIST segments/0/parts/2/gap_tag": "4.4.4.7",
    ]

    /// Properties of python-m3u8's objects that aren't part of a playlist.
    static let settings: Set<String> = ["base_uri", "base_path"]

    @Test func passesAssertionsOfPythonM3U8() throws {
        let suites = try Corpora.json("globocom-m3u8/expected-assertions.json").object
        var passed = 0
        var skipped = 0
        var failed: Set<String> = []
        for (name, assertions) in suites.sorted(by: { $0.key < $1.key }) {
            let bytes = try Corpora.bytes("globocom-m3u8/playlists/\(name).m3u8")
            let tree = GlobocomTree(playlist: try PlaylistParser().parse(bytes).playlist).json
            for assertion in assertions.array {
                let path = assertion["path"].array.map {
                    $0.string ?? "\(Int($0.description.prefix { $0 != "." }) ?? 0)"
                }
                if let last = path.last, Self.settings.contains(last) {
                    skipped += 1
                    continue
                }
                let place = name + " " + path.joined(separator: "/")
                if holds(assertion, tree, path) {
                    passed += 1
                } else if Self.exceptions[place] != nil {
                    failed.insert(place)
                } else {
                    Issue.record(
                        "\(place): \(value(tree, path[...])), expected \(assertion["op"]) \(assertion["value"])")
                }
            }
        }
        #expect(suites.count == 76)
        #expect(failed == Set(Self.exceptions.keys))
        #expect(passed + skipped + failed.count == 399)
        #expect(skipped == 7)
    }

    private func value(_ tree: JSONValue, _ path: ArraySlice<String>) -> JSONValue {
        guard let step = path.first else { return tree }
        let rest = path.dropFirst()
        switch (tree, step) {
        case (.array(let items), "*"): return .array(items.map { value($0, rest) })
        case (.array(let items), "#len"): return JSONValue(items.count)
        case (.array(let items), _):
            guard let number = Int(step) else { return .null }
            let index = number < 0 ? items.count + number : number
            return items.indices.contains(index) ? value(items[index], rest) : .null
        default: return value(tree[step], rest)
        }
    }

    private func holds(_ assertion: JSONValue, _ tree: JSONValue, _ path: [String]) -> Bool {
        var expected = assertion["value"]
        var actual = value(tree, path[...])
        if path.last == "absolute_uri" { actual = value(tree, path.dropLast() + ["server_uri"]) }
        // In some assertions, python-m3u8 has prepended a base to the reference. Resolving it has the same result.
        if case .string(let url) = expected, case .string(let uri) = actual, url != uri, url.hasSuffix(uri) {
            actual = .string(URLReference.resolve(uri, against: String(url.dropLast(uri.count))))
        }
        switch assertion["op"].string {
        case "NotIn":
            return actual[assertion["value"].string ?? ""] == .null
        case "truthy":
            return actual != .null && actual != .bool(false) && actual != .string("")
        case "falsy":
            return actual == .null || actual == .bool(false)
        default:
            if path.last == "resolution", case .array(let size) = expected {
                expected = .string(size.map { $0.description.prefix { $0 != "." } }.joined(separator: "x"))
            }
            return actual.differences(from: expected).isEmpty
        }
    }
}
