import Foundation
import HLS
import HTTPTypes
import MediaCache
import Testing

@testable import MediaLibrary

struct PlaylistBodyTests {
    private static let playlist = "#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\n1.ts\n"

    @Test(arguments: [
        ("", "empty or has only blank lines"), ("<!DOCTYPE html><html></html>", "HTML"), ("{\"error\": 1}", "JSON"),
        ("hello", "text"),
    ])
    func errorDescribesContentThatIsNotAPlaylist(body: String, content: String) throws {
        let error = #expect(throws: MediaJobError.self) {
            try PlaylistInspection(PlaylistBody(bytes: Array(body.utf8), name: "x.m3u8"))
        }
        #expect(error?.message == "x.m3u8 isn't a playlist; it is \(content)")
    }

    @Test func strictParsingFailsAtFirstViolation() throws {
        let body = PlaylistBody(bytes: Array("#EXTM3U\n#EXTINF:5\n1.ts\n#EXTINF:x,\n2.ts\n".utf8), name: "x.m3u8")
        let error = #expect(throws: MediaJobError.self) { try PlaylistInspection(body, isStrict: true) }
        #expect(error?.message == "x.m3u8: line 2: [4.4.4.1-comma] No comma follows the duration.")
        #expect(try PlaylistInspection(body).diagnostics.count == 3)
    }

    @Test func stopsAtFirstBytesOfFilm() throws {
        var collector = PlaylistCollector()
        let film = [0, 0, 0, 24] + Array("ftypisom".utf8) + [UInt8](repeating: 0, count: 100_000)
        #expect(throws: PlaylistError.notAPlaylist(.mp4)) { try film.withUnsafeBytes { try collector.append($0) } }
    }

    @Test func collectsLongPlaylist() throws {
        var collector = PlaylistCollector()
        let bytes = Array((Self.playlist + String(repeating: "#EXTINF:5,\n2.ts\n", count: 10_000)).utf8)
        for piece in stride(from: 0, to: bytes.count, by: 50_000) {
            try bytes[piece..<min(piece + 50_000, bytes.count)].withUnsafeBytes { try collector.append($0) }
        }
        #expect(collector.bytes == bytes)
    }

    @Test func rejectsBodiesOverLimit() throws {
        var collector = PlaylistCollector(limit: 10)
        try [UInt8](repeating: 35, count: 10).withUnsafeBytes { try collector.append($0) }
        #expect(throws: PlaylistError.playlistTooLong(limit: 10)) {
            try [UInt8](repeating: 35, count: 1).withUnsafeBytes { try collector.append($0) }
        }
    }

    @Test func readsFile() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "inspect-\(UUID().uuidString).m3u8")
        try Data(Self.playlist.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let path = file.path(percentEncoded: false)
        let body = try await PlaylistBody(path: path)
        #expect(body.bytes == Array(Self.playlist.utf8))
        #expect(body.name == path)
        #expect(body.location == nil)
    }

    @Test(arguments: ["/nowhere/list.m3u8", "/"])
    func errorContainsPathOfUnreadableFile(path: String) async throws {
        let error = await #expect(throws: MediaJobError.self) { try await PlaylistBody(path: path) }
        #expect(error?.message.contains("“\(path)”") == true)
    }
}
