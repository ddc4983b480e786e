import Foundation
import HLS
import TestSupport
import Testing

/// Playlists that have to survive reading and writing.
@Suite(.enabled(if: try Prerequisite.hasCorpora()))
struct RoundTripConformanceTests {
    private func lists() throws -> [String: JSONValue] {
        try Corpora.json("derived/m3u8-roundtrip-lists.json").object
    }

    private func verbatimFiles(_ folder: String) throws -> [String] {
        try lists()["verbatim_roundtrip"]?[folder].array.compactMap(\.string).map { folder + "/" + $0 } ?? []
    }

    @Test(arguments: [("eyevinn-hls-m3u8/sample-playlists", 11), ("comcast-mamba", 1)])
    func writesListedDocumentsVerbatim(_ folder: String, _ count: Int) throws {
        let files = try verbatimFiles(folder)
        #expect(files.count == count)
        for file in files {
            let bytes = try Corpora.bytes(file)
            let document = PlaylistDocument(bytes)
            #expect(document.bytes == bytes, "\(file)")
            // The lines are understood, not carried along: only comments are opaque.
            for case .other(let line) in document.lines.map(\.content) {
                #expect(!line.starts(with: "#EXT".utf8), "\(file): \(String(decoding: line, as: UTF8.self))")
            }
        }
    }

    /// The model in the order as read gives these too, compared as Eyevinn does: line ends and the end of the file
    /// trimmed. Mamba's document is none for a model: it has the tags of both kinds of playlists (against 4.1), tags that
    /// may stand once twice, values that are none, and comments.
    @Test func writesEyevinnsPlaylistsFromTheModelVerbatim() throws {
        for file in try verbatimFiles("eyevinn-hls-m3u8/sample-playlists") {
            let text = String(decoding: try Corpora.bytes(file), as: UTF8.self).replacing("\r\n", with: "\n")
            let playlist = try PlaylistParser().parse(text).playlist
            #expect(Self.asRead.text(playlist) == (text.hasSuffix("\n") ? text : text + "\n"), "\(file)")
        }
    }

    private static let asRead = PlaylistWriter(version: .declared, order: .asRead)

    /// The model's writer gives these byte for byte, from the model alone.
    @Test func writesSilesPlaylistsVerbatim() throws {
        let files = try Corpora.files("sile-hls_m3u8/playlists").filter { $0.contains("rfc8216-") }
        #expect(files.count == 7)
        for file in files {
            let bytes = try Corpora.bytes(file)
            let playlist = try PlaylistParser().parse(bytes).playlist
            #expect(PlaylistWriter().text(playlist) == String(decoding: bytes, as: UTF8.self), "\(file)")
            #expect(PlaylistDocument(bytes).bytes == bytes, "\(file)")
        }
    }

    /// gohlslib writes its own canonical form; both forms mean the same to us, and each is written again as it is, from
    /// the document and from the model.
    ///
    /// That the first doesn't become the second has these reasons:
    /// - `media-full`: EXT-X-START's 4.56 becomes 4.56000 there, the same number (4.2). Ours keeps the digits.
    /// - `multivariant-full`: renditions come first there, between blank lines. Any order is right (4.4.6); ours is the
    ///   author's.
    /// - `multivariant-apple_multivideo`: it loses PROGRAM-ID, which a client ignores (6.3.1) and a library shouldn't
    ///   lose, and DEFAULT=NO; and it gets EXT-X-VERSION:0, which is no version (section 7).
    @Test(arguments: ["media-full", "multivariant-full", "multivariant-apple_multivideo"])
    func readsBothFormsOfGohlslib(_ name: String) throws {
        let folder = "bluenviron-gohlslib/roundtrip/"
        let input = try Corpora.bytes(folder + name + ".in.m3u8")
        let output = try Corpora.bytes(folder + name + ".out.m3u8")
        #expect(PlaylistDocument(input).bytes == input)
        #expect(PlaylistDocument(output).bytes == output)
        let left = try PlaylistParser().parse(input).playlist
        let right = try PlaylistParser().parse(output).playlist
        #expect(normalized(left) == normalized(right))
        #expect(Self.asRead.bytes(left) == input)
        // All but the version that is none.
        let noVersion = String(decoding: output, as: UTF8.self).replacing("#EXT-X-VERSION:0\n", with: "")
        #expect(Self.asRead.text(right) == noVersion)
    }

    /// What gohlslib changes without changing the meaning: the digits of EXT-X-START, DEFAULT=NO, which is the default
    /// (4.4.6.1), and PROGRAM-ID, which left the RFC with version 6; it puts renditions first.
    private func normalized(_ playlist: Playlist) -> Playlist {
        switch playlist {
        case .media(var media):
            if let offset = media.start?.timeOffset {
                media.start = StartPoint(timeOffset: DecimalValue(nanoseconds: offset.nanoseconds))
            }
            return .media(media)
        case .multivariant(var multivariant):
            if let offset = multivariant.start?.timeOffset {
                multivariant.start = StartPoint(timeOffset: DecimalValue(nanoseconds: offset.nanoseconds))
            }
            multivariant.entries =
                multivariant.renditions.map { rendition in
                    var rendition = rendition
                    if !rendition.isDefault { rendition.isDefault = false }
                    return .rendition(rendition)
                }
                + multivariant.variants.map { variant in
                    var variant = variant
                    variant.attributes["PROGRAM-ID"] = nil
                    return .variant(variant)
                }
            return .multivariant(multivariant)
        }
    }

    @Test func readsWhatItWritesOfEveryPlaylist() throws {
        let files = try Corpora.files("") {
            $0.hasSuffix(".m3u8") || $0.hasPrefix("comcast-mamba/hls_") && $0.hasSuffix(".txt")
        }
        #expect(files.count > 490)
        var others: [String] = []
        for file in files {
            let bytes = try Corpora.bytes(file)
            #expect(PlaylistDocument(bytes).bytes == bytes, "\(file)")
            guard let parsed = try? PlaylistParser().parse(bytes) else {
                others.append(file)
                continue
            }
            try expectIdentity(parsed, "\(file)")
        }
        // An empty file, and one that holds the digit 0 alone.
        #expect(
            others == ["bluenviron-gohlslib/fuzz-playlist/771e938e4458e983.m3u8", "videojs-m3u8-parser/empty.m3u8"])
    }
}
