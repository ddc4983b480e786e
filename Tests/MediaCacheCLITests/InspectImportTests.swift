import ArgumentParser
import Foundation
import MediaLibrary
import Testing

@testable import MediaCacheCLI

/// Tests of variables that a media playlist imports (RFC 8216bis §4.4.2.3).
struct InspectImportTests {
    private static let media = """
        #EXTM3U
        #EXT-X-VERSION:8
        #EXT-X-TARGETDURATION:4
        #EXT-X-DEFINE:IMPORT="host"
        #EXTINF:4,
        http://{$host}/1.ts
        #EXT-X-ENDLIST

        """

    /// Returns the URI of the first segment that `inspect` prints.
    private func uri(_ arguments: [String], files: [String: String] = [:]) async throws -> String? {
        let folder = try TestFolder()
        for (name, text) in files { try Data(text.utf8).write(to: URL(filePath: folder.file(name))) }
        let paths = arguments.map { files[$0] == nil ? $0 : folder.file($0) }
        let command = try #require(
            try MediaCacheCommand.parseAsRoot(["inspect", "--json"] + paths) as? InspectCommand)
        let text = try JSONOutput.text(try await command.inspectPlaylist().record)
        let record = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        let segments = record?["segments"] as? [[String: Any]]
        return segments?.first?["uri"] as? String
    }

    @Test func preservesReferenceToUndefinedVariable() async throws {
        #expect(try await uri(["a.m3u8"], files: ["a.m3u8": Self.media])?.contains("{$host}") == true)
    }

    @Test func importsValuesFromOptions() async throws {
        let given = try await uri(["a.m3u8", "--define", "host=h=1"], files: ["a.m3u8": Self.media])
        #expect(given == "http://h=1/1.ts")
    }

    @Test func importsValuesFromMultivariantPlaylist() async throws {
        let multivariant = """
            #EXTM3U
            #EXT-X-DEFINE:NAME="host",VALUE="cdn"
            #EXT-X-STREAM-INF:BANDWIDTH=1000
            a.m3u8

            """
        let files = ["a.m3u8": Self.media, "b.m3u8": multivariant]
        #expect(try await uri(["a.m3u8", "--multivariant", "b.m3u8"], files: files) == "http://cdn/1.ts")
        let both = try await uri(["a.m3u8", "--multivariant", "b.m3u8", "--define", "host=own"], files: files)
        #expect(both == "http://own/1.ts")
    }

    @Test func rejectsMediaPlaylistAsMultivariantOption() async throws {
        let files = ["a.m3u8": Self.media]
        let failure = await #expect(throws: CommandFailure.self) {
            try await uri(["a.m3u8", "--multivariant", "a.m3u8"], files: files)
        }
        #expect(failure?.exitCode == 1)
    }
}
