import HLS
import TestSupport
import Testing

@testable import MediaLibrary

@Suite(.enabled(if: try Prerequisite.hasCorpora()))
struct InspectionCorpusTests {
    private static let common: Set<String> = [
        "kind", "version", "independentSegments", "start", "variables", "unknownTags", "diagnostics",
    ]
    private static let media = common.union([
        "targetDuration", "mediaSequence", "discontinuitySequence", "playlistType", "endList", "iFramesOnly",
        "partTarget", "serverControl", "segments", "parts", "dateRanges", "skip", "preloadHints", "renditionReports",
    ])
    private static let multivariant = common.union([
        "variants", "iFrameVariants", "renditions", "sessionData", "sessionKeys", "contentSteering",
    ])
    private static let segment: Set<String> = [
        "uri", "duration", "title", "mediaSequence", "discontinuitySequence", "discontinuity", "byteRange",
        "programDateTime", "map", "keys", "gap", "bitrate", "parts",
    ]
    private static let variant: Set<String> = [
        "uri", "bandwidth", "averageBandwidth", "codecs", "resolution", "frameRate", "hdcpLevel", "videoRange", "score",
        "audio", "video", "subtitles", "closedCaptions", "pathwayID",
    ]
    private static let rendition: Set<String> = [
        "type", "groupID", "name", "language", "assocLanguage", "uri", "default", "autoselect", "forced", "instreamID",
        "characteristics", "channels",
    ]

    @Test func recordsOfAllPlaylistsHaveAllKeys() throws {
        let paths = try InspectionCorpora.playlists()
        #expect(paths.count > 400)
        var kinds: [String: Int] = [:]
        for path in paths {
            let json: InspectJSON
            do {
                json = try InspectJSON(bytes: InspectionCorpora.bytes(path))
            } catch let failure as MediaJobError {
                #expect(failure.message.contains("isn't a playlist"), "\(path): \(failure.message)")
                kinds["none", default: 0] += 1
                continue
            }
            let kind = json["kind"].string ?? ""
            kinds[kind, default: 0] += 1
            #expect(json.keys == (kind == "media" ? Self.media : Self.multivariant), "\(path)")
            for segment in json["segments"].array {
                guard segment.keys != Self.segment || segment["duration"].number == nil else { continue }
                Issue.record("\(path): \(segment)")
            }
            let variants = json["variants"].array + json["iFrameVariants"].array
            #expect(variants.allSatisfy { $0.keys.isSuperset(of: Self.variant) }, "\(path)")
            #expect(json["renditions"].array.allSatisfy { $0.keys.isSuperset(of: Self.rendition) }, "\(path)")
            for tag in json["unknownTags"].array {
                #expect(tag["line"].number.map { $0 > 0 } == true && tag["tag"].string != nil, "\(path): \(tag)")
            }
        }
        #expect((kinds["media"] ?? 0) > 200 && (kinds["multivariant"] ?? 0) > 50, "\(kinds)")
    }

    @Test func reportsOfAllPlaylistsAreShort() throws {
        for path in try InspectionCorpora.playlists() {
            let body = PlaylistBody(bytes: try InspectionCorpora.bytes(path), name: path)
            guard let inspection = try? PlaylistInspection(body) else { continue }
            let lines = inspection.report.lines
            #expect(lines.first?.hasSuffix(path) == true)
            let tabulated = inspection.parsed.playlist.multivariant?.entries.count ?? 0
            #expect(lines.count < 80 + tabulated, "\(path): \(lines.count) lines")
        }
    }

    @Test func strictParsingFailsExactlyForErrors() throws {
        for path in try InspectionCorpora.playlists() {
            let body = PlaylistBody(bytes: try InspectionCorpora.bytes(path), name: path)
            guard let tolerant = try? PlaylistInspection(body) else { continue }
            let isCorrect = tolerant.diagnostics.allSatisfy { $0.severity < .error }
            let strict = try? PlaylistInspection(body, isStrict: true)
            #expect((strict != nil) == isCorrect, "\(path)")
        }
    }
}
