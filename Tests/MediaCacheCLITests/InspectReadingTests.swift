import Foundation
import HLS
import HTTPTypes
import MediaCache
import Testing

@testable import MediaCacheCLI

/// Where `inspect` reads, and what it gives up on.
struct InspectReadingTests {
    private static let playlist = "#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\n1.ts\n"

    @Test func aSourceIsAURLAFileOrStandardInput() throws {
        #expect(try InputArgument(parsing: " https://h/a.m3u8\n") == .url(URLArgument.parse("https://h/a.m3u8")))
        #expect(try InputArgument(parsing: "-") == .standardInput)
        #expect(try InputArgument(parsing: "a b/c.m3u8") == .file("a b/c.m3u8"))
        #expect(try InputArgument(parsing: "file:///a%20b.m3u8") == .file("/a b.m3u8"))
        #expect(throws: ArgumentTextError.self) { try InputArgument(parsing: "ftp://h/a.m3u8") }
        #expect(throws: ArgumentTextError.self) { try InputArgument(parsing: "") }
    }

    @Test(arguments: [
        ("", "empty or has only blank lines"), ("<!DOCTYPE html><html></html>", "HTML"), ("{\"error\": 1}", "JSON"),
        ("hello", "text"),
    ])
    func whatIsNoPlaylistIsNamed(body: String, content: String) throws {
        let failure = #expect(throws: CommandFailure.self) {
            try Inspection(InspectedBody(bytes: Array(body.utf8), name: "x.m3u8"))
        }
        #expect(failure?.exitCode == 1)
        #expect(failure?.line == "mediacache: x.m3u8 isn't a playlist; it is \(content)")
    }

    @Test func strictnessEndsAtTheFirstViolation() throws {
        let body = InspectedBody(bytes: Array("#EXTM3U\n#EXTINF:5\n1.ts\n#EXTINF:x,\n2.ts\n".utf8), name: "x.m3u8")
        let failure = #expect(throws: CommandFailure.self) { try Inspection(body, isStrict: true) }
        #expect(failure?.exitCode == 1)
        #expect(failure?.line == "mediacache: x.m3u8: line 2: [4.4.4.1-comma] No comma follows the duration.")
        #expect(try Inspection(body).diagnostics.count == 3)
    }

    @Test func aFilmIsGivenUpAtItsFront() throws {
        var collector = BodyCollector()
        let film = [0, 0, 0, 24] + Array("ftypisom".utf8) + [UInt8](repeating: 0, count: 100_000)
        #expect(throws: PlaylistError.notAPlaylist(.mp4)) { try film.withUnsafeBytes { try collector.append($0) } }
    }

    @Test func aLongPlaylistIsNotGivenUp() throws {
        var collector = BodyCollector()
        let bytes = Array((Self.playlist + String(repeating: "#EXTINF:5,\n2.ts\n", count: 10_000)).utf8)
        for piece in stride(from: 0, to: bytes.count, by: 50_000) {
            try bytes[piece..<min(piece + 50_000, bytes.count)].withUnsafeBytes { try collector.append($0) }
        }
        #expect(collector.bytes == bytes)
    }

    @Test func pastTheLimitNothingIsTaken() throws {
        var collector = BodyCollector(limit: 10)
        try [UInt8](repeating: 35, count: 10).withUnsafeBytes { try collector.append($0) }
        #expect(throws: PlaylistError.playlistTooLong(limit: 10)) {
            try [UInt8](repeating: 35, count: 1).withUnsafeBytes { try collector.append($0) }
        }
    }

    @Test func aFileIsRead() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "inspect-\(UUID().uuidString).m3u8")
        try Data(Self.playlist.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let path = file.path(percentEncoded: false)
        let body = try await PlaylistFile(path: path).body()
        #expect(body.bytes == Array(Self.playlist.utf8))
        #expect(body.name == path)
        #expect(body.location == nil)
    }

    @Test(arguments: ["/nowhere/list.m3u8", "/"])
    func aFileThatCannotBeReadIsNamed(path: String) async throws {
        let failure = await #expect(throws: CommandFailure.self) { try await PlaylistFile(path: path).body() }
        #expect(failure?.exitCode == 1)
        #expect(failure?.message.contains("“\(path)”") == true)
    }
}
