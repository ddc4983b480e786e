import Foundation
import HLS
import TestSupport
import Testing

@Suite(.enabled(if: try Prerequisite.hasCorpora()))
struct RoundTripConformanceTests {
    private func lists() throws -> [String: JSONValue] {
        try Corpora.json("derived/m3u8-roundtrip-lists.json").object
    }

    private func verbatimFiles(_ folder: String) throws -> [String] {
        try lists()["verbatim_roundtrip"]?[folder].array.compactMap(\.string).map { folder + "/" + $0 } ?? []
    }

    @Test(arguments: [("eyevinn-hls-m3u8/sample-playlists", 11), ("comcast-mamba", 1)])
    func writesDocumentsVerbatim(_ folder: String, _ count: Int) throws {
        let files = try verbatimFiles(folder)
        #expect(files.count == count)
        for file in files {
            let bytes = try Corpora.bytes(file)
            let document = PlaylistDocument(bytes)
            #expect(document.bytes == bytes, "\(file)")
            // Only comments and blank lines are opaque.
            for case .other(let line) in document.lines.map(\.content) {
                #expect(!line.starts(with: "#EXT".utf8), "\(file): \(String(decoding: line, as: UTF8.self))")
            }
        }
    }

    /// Mamba's document is excluded, because the model can't represent its duplicate tags, its invalid values, its
    /// comments and its tags of both playlist kinds.
    @Test func writesLinesOfEyevinnPlaylists() throws {
        for file in try verbatimFiles("eyevinn-hls-m3u8/sample-playlists") {
            let text = String(decoding: try Corpora.bytes(file), as: UTF8.self)
            let written = PlaylistWriter(version: .declared).text(try PlaylistParser().parse(text).playlist)
            #expect(lines(of: written) == lines(of: text), "\(file)")
        }
    }

    /// Returns the lines of a playlist in sorted order, without blank lines and tags with the default value 0.
    private func lines(of text: String) -> [Substring] {
        text.split(whereSeparator: \.isNewline).filter { !$0.hasSuffix("-SEQUENCE:0") }.sorted()
    }

    @Test func writesSilePlaylistsVerbatim() throws {
        let files = try Corpora.files("sile-hls_m3u8/playlists").filter { $0.contains("rfc8216-") }
        #expect(files.count == 7)
        for file in files {
            let bytes = try Corpora.bytes(file)
            let playlist = try PlaylistParser().parse(bytes).playlist
            #expect(PlaylistWriter().text(playlist) == String(decoding: bytes, as: UTF8.self), "\(file)")
            #expect(PlaylistDocument(bytes).bytes == bytes, "\(file)")
        }
    }

    @Test(arguments: ["media-full", "multivariant-full", "multivariant-apple_multivideo"])
    func parsesInputAndOutputOfGohlslib(_ name: String) throws {
        let folder = "bluenviron-gohlslib/roundtrip/"
        let input = try Corpora.bytes(folder + name + ".in.m3u8")
        let output = try Corpora.bytes(folder + name + ".out.m3u8")
        #expect(PlaylistDocument(input).bytes == input)
        #expect(PlaylistDocument(output).bytes == output)
        let left = try PlaylistParser().parse(input).playlist
        let right = try PlaylistParser().parse(output).playlist
        #expect(normalized(left) == normalized(right))
        let writer = PlaylistWriter(version: .declared)
        #expect(lines(of: writer.text(left)) == lines(of: String(decoding: input, as: UTF8.self)))
        // gohlslib adds EXT-X-VERSION:0, which isn't a valid version and is dropped.
        let noVersion = String(decoding: output, as: UTF8.self).replacing("#EXT-X-VERSION:0\n", with: "")
        #expect(lines(of: writer.text(right)) == lines(of: noVersion))
    }

    /// Returns the playlist with gohlslib's changes, which don't alter its meaning: other digits in EXT-X-START, no
    /// DEFAULT=NO (the default, 4.4.6.1), no PROGRAM-ID (removed in version 6 of the protocol), and renditions first.
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

    @Test func roundTripsEveryPlaylistInCorpora() throws {
        let files = try Corpora.files("") {
            $0.hasSuffix(".m3u8") || $0.hasPrefix("comcast-mamba/hls_") && $0.hasSuffix(".txt")
        }
        #expect(files.count > 490)
        var rejected: [String] = []
        for file in files {
            let bytes = try Corpora.bytes(file)
            #expect(PlaylistDocument(bytes).bytes == bytes, "\(file)")
            guard let parsed = try? PlaylistParser().parse(bytes) else {
                rejected.append(file)
                continue
            }
            try expectIdentity(parsed, "\(file)")
        }
        // A file that contains only the digit 0, and an empty file.
        #expect(
            rejected == ["bluenviron-gohlslib/fuzz-playlist/771e938e4458e983.m3u8", "videojs-m3u8-parser/empty.m3u8"])
    }
}
