import HLS
import TestSupport
import Testing

/// The 399 assertions of globocom/m3u8's tests (python-m3u8) on 76 playlists.
@Suite(.enabled(if: try Prerequisite.hasCorpora()))
struct GlobocomConformanceTests {
    /// What doesn't hold, by playlist and path, and why.
    static let exceptions: [String: String] = [
        // 4.4.4.7: EXT-X-GAP applies to the media segment; a part's gap is its GAP attribute (4.4.4.9).
        // 4.1: a line that is neither blank nor begins with # is a URI; JUNK is one, without its EXTINF.
        "SIMPLE_PLAYLIST_MESSY segments/*/uri": "4.1",
        "SIMPLE_PLAYLIST_MESSY segments/*/duration": "4.1",
        // 4.2: names of attributes hold no underscore; AVERAGE_BANDWIDTH isn't AVERAGE-BANDWIDTH.
        "VARIANT_PLAYLIST_WITH_IFRAME_AVERAGE_BANDWIDTH iframe_playlists/1/iframe_stream_info/average_bandwidth": "4.2",
        "VARIANT_PLAYLIST_WITH_IFRAME_AVERAGE_BANDWIDTH iframe_playlists/2/iframe_stream_info/average_bandwidth": "4.2",
        "VARIANT_PLAYLIST_WITH_IFRAME_AVERAGE_BANDWIDTH iframe_playlists/3/iframe_stream_info/average_bandwidth": "4.2",
        "GAP_IN_PARTS_PLAYLIST segments/0/parts/2/gap_tag": "4.4.4.7",
    ]

    /// Settings of the Python object, which no playlist holds.
    static let settings: Set<String> = ["base_uri", "base_path"]

    @Test func holdsTheAssertionsOfPythonM3U8() throws {
        let suites = try Corpora.json("globocom-m3u8/expected-assertions.json").object
        var held = 0
        var notOfPlaylists = 0
        var excepted: Set<String> = []
        for (name, assertions) in suites.sorted(by: { $0.key < $1.key }) {
            let bytes = try Corpora.bytes("globocom-m3u8/playlists/\(name).m3u8")
            let tree = GlobocomTree(playlist: try PlaylistParser().parse(bytes).playlist).json
            for assertion in assertions.array {
                let path = assertion["path"].array.map {
                    $0.string ?? "\(Int($0.description.prefix { $0 != "." }) ?? 0)"
                }
                if let last = path.last, Self.settings.contains(last) {
                    notOfPlaylists += 1
                    continue
                }
                let place = name + " " + path.joined(separator: "/")
                if holds(assertion, tree, path) {
                    held += 1
                } else if Self.exceptions[place] != nil {
                    excepted.insert(place)
                } else {
                    Issue.record(
                        "\(place): \(value(tree, path[...])), expected \(assertion["op"]) \(assertion["value"])")
                }
            }
        }
        #expect(suites.count == 76)
        #expect(excepted == Set(Self.exceptions.keys))
        #expect(held + notOfPlaylists + excepted.count == 399)
        #expect(notOfPlaylists == 7)
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
        if path.last == "absolute_uri" {
            actual = value(tree, path.dropLast() + ["server_uri"])
        }
        // The Python object puts a base in front of references; so does resolving them against it.
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
