import HLS
import TestSupport
import Testing

@testable import MediaLibrary

/// Tests that compare records with the parse trees of videojs/m3u8-parser.
@Suite(.enabled(if: try Prerequisite.hasCorpora()))
struct VideoJSComparisonTests {
    /// The values that m3u8-parser reports differently, by playlist, with the sections of RFC 8216bis that apply.
    private static let exceptions: [String: [String]] = [
        // 4.4.4.1: EXTINF declares the duration, which m3u8-parser changes from 0 to 0.01.
        "zeroDuration": [".segments[0].duration"],
        // 4.4.4.2: A range without an offset continues only within the same resource.
        "byteRange": [".segments[2].byterange.offset"],
        "llhls-byte-range": [".segments[2].byterange.offset"],
        // 4.4.4.1: EXTINF is required. Without it and a preceding target duration, the record has a duration of 0 s,
        // and m3u8-parser has none.
        "multipleTargetDurations": [".segments[0].duration"],
    ]

    @Test func recordsMatchParseTrees() throws {
        let names = try InspectionCorpora.playlists().filter { $0.hasPrefix("videojs-m3u8-parser/") }
            .map { String($0.dropFirst("videojs-m3u8-parser/".count).dropLast(".m3u8".count)) }
        #expect(names.count == 60)
        var compared = 0
        for name in names where name != "empty" {
            let ours = try InspectJSON(bytes: InspectionCorpora.bytes("videojs-m3u8-parser/\(name).m3u8"))
            let theirs = try InspectionCorpora.json("videojs-m3u8-parser/expected/\(name).json")
            var comparison = Comparison()
            ours["kind"] == "media" ? comparison.media(ours, theirs) : comparison.multivariant(ours, theirs)
            let exceptions = Self.exceptions[name] ?? []
            let unexplained = comparison.differences.filter { difference in
                !exceptions.contains { difference.hasPrefix($0 + ":") }
            }
            #expect(unexplained.isEmpty, "\(name): \(unexplained.prefix(4).joined(separator: "; "))")
            #expect(comparison.differences.count == exceptions.count, "\(name): an exception no longer applies")
            compared += comparison.count
        }
        #expect(compared > 3000, "only \(compared) values were compared")
    }

    /// A comparison of the values that both trees contain, which also counts them.
    private struct Comparison {
        var differences: [String] = []
        var count = 0

        mutating func equal(_ path: String, _ ours: InspectJSON, _ theirs: InspectJSON) {
            count += 1
            if case .number(let left) = ours, case .number(let right) = theirs,
                abs(left - right) < max(1e-6, 8 * right.ulp)
            {
                return
            }
            if ours != theirs { differences.append("\(path): \(ours), expected \(theirs)") }
        }

        mutating func media(_ ours: InspectJSON, _ theirs: InspectJSON) {
            equal(".version", ours["version"], theirs["version"])
            equal(".targetDuration", ours["targetDuration"], theirs["targetDuration"])
            equal(".playlistType", ours["playlistType"], theirs["playlistType"])
            equal(".start", ours["start"], theirs["start"])
            equal(".partTarget", ours["partTarget"], theirs["partTargetDuration"])
            for key in ["endList", "iFramesOnly", "independentSegments"] {
                equal(".\(key)", ours[key], theirs[key].or(false))
            }
            for key in ["mediaSequence", "discontinuitySequence"] { equal(".\(key)", ours[key], theirs[key].or(0)) }
            let (control, expected) = (ours["serverControl"], theirs["serverControl"])
            for key in ["canSkipUntil", "holdBack", "partHoldBack"] {
                equal(".serverControl.\(key)", control[key], expected[key])
            }
            if control != .null {
                equal(".canBlockReload", control["canBlockReload"], expected["canBlockReload"].or(false))
                equal(".canSkipDateRanges", control["canSkipDateRanges"], expected["canSkipDateranges"].or(false))
            }
            equal(".skip", ours["skip"]["skippedSegments"], theirs["skip"]["skippedSegments"])
            equal(".hints", .array(ours["preloadHints"].array.map { $0["uri"] }), hints(theirs))
            let reports = ours["renditionReports"].array.map { report -> InspectJSON in
                .object(["uri": report["uri"], "lastMsn": report["lastMSN"], "lastPart": report["lastPart"]])
            }
            for (index, report) in theirs["renditionReports"].array.enumerated() {
                for key in ["uri", "lastMsn", "lastPart"] {
                    equal(".renditionReports[\(index)].\(key)", InspectJSON.array(reports)[index][key], report[key])
                }
            }
            equal(
                ".segments", .number(Double(ours["segments"].array.count)),
                .number(Double(theirs["segments"].array.count)))
            for (index, pair) in zip(ours["segments"].array, theirs["segments"].array).enumerated() {
                segment(".segments[\(index)]", pair.0, pair.1)
            }
        }

        private func hints(_ theirs: InspectJSON) -> InspectJSON {
            .array(theirs["preloadSegment"]["preloadHints"].array.map { $0["uri"] })
        }

        private mutating func segment(_ path: String, _ ours: InspectJSON, _ theirs: InspectJSON) {
            for key in ["uri", "duration", "title"] { equal("\(path).\(key)", ours[key], theirs[key]) }
            equal("\(path).timeline", ours["discontinuitySequence"], theirs["timeline"])
            equal("\(path).discontinuity", ours["discontinuity"], theirs["discontinuity"].or(false))
            range("\(path).byterange", ours["byteRange"], theirs["byterange"])
            equal("\(path).map.uri", ours["map"]["uri"], theirs["map"]["uri"])
            let milliseconds = ours["programDateTime"].string.flatMap { DateTime($0).nanosecondsSinceEpoch }
                .map { InspectJSON.number(Double($0) / 1e6) }
            equal("\(path).programDateTime", milliseconds ?? .null, theirs["programDateTime"])
            let key = ours["keys"].array.first { $0["method"] != "NONE" } ?? .null
            for name in ["method", "uri"] { equal("\(path).key.\(name)", key[name], theirs["key"][name]) }
            equal("\(path).key.iv", key["iv"] == .null ? .null : true, theirs["key"]["iv"] == .null ? .null : true)
            for (index, pair) in zip(ours["parts"].array, theirs["parts"].array).enumerated() {
                let place = "\(path).parts[\(index)]"
                for key in ["uri", "duration"] { equal("\(place).\(key)", pair.0[key], pair.1[key]) }
                equal("\(place).independent", pair.0["independent"], pair.1["independent"].or(false))
                range("\(place).byterange", pair.0["byteRange"], pair.1["byterange"])
            }
            equal(
                "\(path).parts", .number(Double(ours["parts"].array.count)),
                .number(Double(theirs["parts"].array.count)))
        }

        private mutating func range(_ path: String, _ ours: InspectJSON, _ theirs: InspectJSON) {
            for key in ["length", "offset"] { equal("\(path).\(key)", ours[key], theirs[key]) }
        }

        mutating func multivariant(_ ours: InspectJSON, _ theirs: InspectJSON) {
            equal(".version", ours["version"], theirs["version"])
            equal(".independentSegments", ours["independentSegments"], theirs["independentSegments"].or(false))
            streams(".playlists", ours["variants"].array, theirs["playlists"].array)
            streams(".iFramePlaylists", ours["iFrameVariants"].array, theirs["iFramePlaylists"].array)
            // m3u8-parser has no groups if there are no variant streams.
            for rendition in ours["renditions"].array where theirs["mediaGroups"] != .null {
                let (type, group) = (rendition["type"].string ?? "", rendition["groupID"].string ?? "")
                let name = rendition["name"].string ?? ""
                let expected = theirs["mediaGroups"][type][group][name]
                for key in ["uri", "language", "characteristics"] {
                    equal(".\(type).\(group).\(name).\(key)", rendition[key], expected[key])
                }
                equal(".\(type).\(group).\(name).instreamId", rendition["instreamID"], expected["instreamId"])
                equal(".\(type).\(group).\(name).default", rendition["default"], expected["default"])
            }
        }

        private mutating func streams(_ path: String, _ ours: [InspectJSON], _ theirs: [InspectJSON]) {
            equal(path, .number(Double(ours.count)), .number(Double(theirs.count)))
            for (index, pair) in zip(ours, theirs).enumerated() {
                let (place, attributes) = ("\(path)[\(index)]", pair.1["attributes"])
                equal("\(place).uri", pair.0["uri"], pair.1["uri"])
                for (key, name) in [
                    ("bandwidth", "BANDWIDTH"), ("codecs", "CODECS"), ("resolution", "RESOLUTION"),
                    ("frameRate", "FRAME-RATE"), ("audio", "AUDIO"), ("video", "VIDEO"), ("subtitles", "SUBTITLES"),
                    ("closedCaptions", "CLOSED-CAPTIONS"),
                ] {
                    equal("\(place).\(name)", pair.0[key], attributes[name])
                }
            }
        }
    }
}
