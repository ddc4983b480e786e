import Foundation
import HLS
import MediaCache
import TestSupport
import Testing

@testable import MediaLibrary

/// Tests of the storage format of contents, and of the contents planned from playlists in the corpora.
struct AssetContentsTests {
    @Test func contentsSurviveEncoding() throws {
        var contents = AssetContents(
            playlists: [.init(name: "index.m3u8", url: "http://h/ü\n", text: "#EXTM3U\n\t\u{2028}ü\n")],
            parts: [
                AssetPart(role: .key, name: "k", url: "http://h/k"),
                AssetPart(
                    role: .mediaSegment, name: "media-1/000001.ts", url: "http://h/1.ts?a=b%09", range: 5..<10,
                    start: 0.1 + 0.2, duration: 1e-7, isEncrypted: true),
            ], duration: 12.5, estimatedLength: 1 << 40, notes: [.init(url: "http://h/", text: "a\nb")])
        let bytes = try contents.encoded()
        #expect(try AssetContents(encoded: bytes) == contents)
        contents.isGrowing = true
        contents.selection = StreamSelection(variants: .height(720), audio: .some(["de"]))
        #expect(try AssetContents(encoded: try contents.encoded()) == contents)
        #expect(throws: CacheError.self) { try AssetContents(encoded: Array(bytes.dropFirst())) }
        #expect(throws: CacheError.self) { try AssetContents(encoded: bytes + Array("x\ty\n".utf8)) }
    }

    /// Earlier versions didn't store the scope of a part. Such a part may have a local address only on the host in the
    /// user's URL.
    @Test func partWithoutScopeIsPublicExceptOnHostOfUser() throws {
        let open = TransferSettings()
        func scope(_ url: String, _ scope: AddressScope?, named: String? = "http://192.168.0.9/index.m3u8") throws
            -> AddressScope
        {
            var part = AssetPart(role: .mediaSegment, name: "media-1/000001.ts", url: url)
            part.scope = scope
            let contents = try AssetContents(encoded: AssetContents(playlists: [], parts: [part]).encoded())
            let read = try #require(contents.parts.first)
            #expect(read.scope == scope)
            return try #require(read.request(settings: open, named: named).settings?.scope)
        }
        #expect(try scope("http://192.168.0.9:81/1.ts", nil) == .any)
        #expect(try scope("http://192.168.0.9/1.ts", nil, named: nil) == .publicOnly)
        #expect(try scope("http://192.168.0.10/1.ts", nil) == .publicOnly)
        #expect(try scope("http://cdn.example/1.ts", nil) == .publicOnly)
        #expect(try scope("http://192.168.0.10/1.ts", .any) == .any)
        #expect(try scope("http://192.168.0.9/1.ts", .publicOnly) == .publicOnly)
        // A value that a later version may store.
        let text = String(decoding: try AssetContents(playlists: [], parts: [part(.any)]).encoded(), as: UTF8.self)
        #expect(text.contains("\tany"))
        let later = try AssetContents(encoded: Array(text.replacing("\tany", with: "\tlater").utf8))
        #expect(later.parts.first?.scope == .publicOnly)
    }

    /// Ranges of one resource share a name, and a range without an offset follows the previous one.
    @Test func marksMissingRangesAsGaps() {
        let all = "http://h/all.ts"
        let ranges: [Range<Int64>] = [0..<10, 10..<30, 30..<35]
        let parts = ranges.enumerated().map { index, range in
            AssetPart(
                role: .mediaSegment, name: "video-1/000001.ts", url: all, range: range, start: Double(index) * 6,
                duration: 6)
        }
        let shared = AssetPart(role: .mediaSegment, name: "audio-1/000001.aac", url: "http://h/a.aac", start: 18)
        let text = """
            #EXTM3U
            #EXTINF:6,
            #EXT-X-BYTERANGE:10@0
            000001.ts
            #EXTINF:6,
            #EXT-X-BYTERANGE:20
            000001.ts
            #EXTINF:6,
            #EXT-X-BYTERANGE:5@30
            000001.ts
            #EXTINF:6,
            ../audio-1/000001.aac

            """
        let playlist = AssetContents.LocalPlaylist(name: "video-1/index.m3u8", url: "http://h/v.m3u8", text: text)
        let index = ContentsIndex(AssetContents(playlists: [playlist], parts: parts + [shared]))
        func hole(_ url: String, _ start: Double) -> DownloadHole {
            DownloadHole(
                url: url, role: AssetPart.Role.mediaSegment.rawValue, start: start, duration: 6, reason: "",
                isRetryable: false)
        }
        #expect(index.text(of: playlist, missing: []) == text)
        #expect(index.text(of: playlist, missing: [hole("http://h/other.ts", 6), hole(all, 7)]) == text)
        let gaps = index.text(of: playlist, missing: [hole(all, 6), hole("http://h/a.aac", 18)])
        #expect(
            gaps
                == text.replacing("BYTERANGE:20\n", with: "BYTERANGE:20\n#EXT-X-GAP\n")
                .replacing("../audio-1", with: "#EXT-X-GAP\n../audio-1"))
    }

    private func part(_ scope: AddressScope) -> AssetPart {
        var part = AssetPart(role: .mediaSegment, name: "media-1/000001.ts", url: "http://h/1.ts")
        part.scope = scope
        return part
    }

    /// Rewritten playlists can be parsed, and refer only to the asset's own playlists and parts, except for data URLs
    /// and the keys of DRM systems.
    @Test(.enabled(if: try Prerequisite.hasCorpora()))
    func rewrittenPlaylistsReferToOwnPartsOnly() async throws {
        let root = Prerequisite.corpora
        let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL }
        let playlists = (files ?? []).filter { $0.pathExtension == "m3u8" }
        #expect(playlists.count > 100)
        let stub = try #require(PlannedStream.media("#EXTINF:4,", "stub.ts").data(using: .utf8))
        var planned = 0
        for file in playlists.sorted(by: { $0.path < $1.path }) {
            let entry = try ResourceURL("http://corpora/a/b/c/d/entry.m3u8")
            func load(_ url: ResourceURL, _: AddressScope, _: [String: String]) throws -> LoadedPlaylist? {
                let bytes = url == entry ? Array(try Data(contentsOf: file)) : Array(stub)
                let kind: PlaylistKind? = if case .playlist(let kind) = BodyKind(of: bytes) { kind } else { nil }
                return LoadedPlaylist(
                    bytes: bytes,
                    head: ResourceHead(
                        length: Int64(bytes.count), contentType: "", validator: Validator(), validatedAt: Date(),
                        entityTag: ""), url: url, kind: kind)
            }
            let selection = StreamSelection(variants: .all, audio: .all, subtitles: .all)
            guard
                let contents = try? await StreamContents.plan(entry, selection: selection, load: load)
            else { continue }
            planned += 1
            for playlist in contents.playlists {
                #expect(throws: Never.self, "\(file.path)") { try PlaylistParser().parse(Array(playlist.text.utf8)) }
            }
            let foreign = contents.unresolved.filter { !$0.hasPrefix("data:") && !$0.hasPrefix("skd:") }
            #expect(foreign.allSatisfy { Self.isOfDRM($0, contents) }, "\(file.path): \(foreign)")
            #expect(try AssetContents(encoded: try contents.encoded()) == contents, "\(file.path)")
            let names = Dictionary(grouping: contents.parts, by: \.name)
            #expect(
                names.allSatisfy { Set($0.value.map(\.url)).count == 1 },
                "\(file.path): two resources have the same name")
        }
        print("planned \(planned) of \(playlists.count) playlists in the corpora")
        #expect(planned > 100)
    }

    private static func isOfDRM(_ reference: String, _ contents: AssetContents) -> Bool {
        contents.playlists.contains { playlist in
            playlist.text.split(separator: "\n").contains { $0.contains(reference) && $0.contains("KEYFORMAT=") }
        }
    }

    /// A playlist of a day and a half, or of two weeks with `MEDIACACHE_SOAK=1`.
    @Test(.timeLimit(.minutes(30))) func encodingPreservesContentsOfLongPlaylist() async throws {
        let count = ProcessInfo.processInfo.environment["MEDIACACHE_SOAK"] == "1" ? 200_000 : 20_000
        var text = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-KEY:METHOD=AES-128,URI=\"key\"\n"
        for number in 0..<count { text += "#EXTINF:6,\nsegments/\(number).ts\n" }
        text += "#EXT-X-ENDLIST\n"
        let stream = try PlannedStream(["a.m3u8": text])
        let contents = try await stream.contents()
        #expect(contents.parts.count == count + 1)
        #expect(try AssetContents(encoded: contents.encoded()) == contents)
    }
}
