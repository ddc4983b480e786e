import Foundation
import HTTPTypes
import MediaCache
import Synchronization
import Testing

@testable import MediaLibrary

struct PlaylistFetchTests {
    private static let playlist = "#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\n1.ts\n"
    /// An origin that responds by path and records its requests.
    private final class Origin: MediaCache.Origin {
        let requests = Mutex<[OriginRequest]>([])
        let bytesSent = Mutex(0)
        private let answers: [String: (status: Int, fields: HTTPFields, body: [UInt8])]

        init(_ answers: [String: (status: Int, fields: HTTPFields, body: [UInt8])]) { self.answers = answers }

        func send(_ request: OriginRequest) async throws -> OriginResponse {
            requests.withLock { $0.append(request) }
            let answer = answers[request.url.target] ?? (404, [:], [])
            return OriginResponse(status: answer.status, headerFields: answer.fields, body: Body(answer.body, of: self))
        }
    }

    /// A body that is sent in pieces of 64 KiB.
    private final class Body: OriginBody {
        private let rest: Mutex<ArraySlice<UInt8>>
        private let origin: Origin

        init(_ bytes: [UInt8], of origin: Origin) {
            rest = Mutex(bytes[...])
            self.origin = origin
        }

        func next() async throws -> (any OriginBuffer)? {
            let piece = rest.withLock { rest in
                defer { rest = rest.dropFirst(64 << 10) }
                return Array(rest.prefix(64 << 10))
            }
            origin.bytesSent.withLock { $0 += piece.count }
            return piece.isEmpty ? nil : piece
        }

        func cancel() { rest.withLock { $0 = [] } }
    }

    private func fetch(_ origin: Origin, _ path: String) async throws -> PlaylistBody {
        let settings = TransferSettings(retries: RetryPolicy(budget: 0))
        return try await PlaylistFetch(origin: origin, settings: settings).body(of: try ResourceURL("http://h\(path)"))
    }

    @Test func resolvesAgainstURLAfterRedirects() async throws {
        let origin = Origin([
            "/a.m3u8": (302, [.location: "/b/c.m3u8?t=1"], []),
            "/b/c.m3u8?t=1": (200, [:], Array(Self.playlist.utf8)),
        ])
        let body = try await fetch(origin, "/a.m3u8")
        #expect(body.location == (try ResourceURL("http://h/b/c.m3u8?t=1")))
        #expect(body.name == "http://h/a.m3u8 (redirected to http://h/b/c.m3u8?t=1)")
        let record = try InspectJSON(bytes: body.bytes, base: body.location?.description)
        #expect(record["segments"][0]["uri"] == "http://h/b/1.ts")
        #expect(origin.requests.withLock { $0.map { $0.headerFields[.range] } } == [nil, nil])
    }

    @Test(arguments: [
        ("gzip", "H4sIAAAAAAACA1N2jQjxNQ7lUgbSuhG6IY5B7q4hLqFBjiGe/n5WpmBxTz83K1MdLkO9kmIuADNro9owAAAA"),
        ("x-gzip", "H4sIAAAAAAACA1N2jQjxNQ7lUgbSuhG6IY5B7q4hLqFBjiGe/n5WpmBxTz83K1MdLkO9kmIuADNro9owAAAA"),
        ("deflate", "eJxTdo0I8TUO5VIG0roRuiGOQe6uIS6hQY4hnv5+VqZgcU8/NytTHS5DvZJiLgAyDAxG"), ("identity", nil),
    ])
    func decodesContentCodings(coding: String, base64: String?) async throws {
        let plain = Array(Self.playlist.utf8)
        let bytes = try base64.map { Array(try #require(Data(base64Encoded: $0))) } ?? plain
        let origin = Origin(["/a": (200, [.contentEncoding: coding], bytes)])
        #expect(try await fetch(origin, "/a").bytes == plain)
    }

    @Test func reportsDamagedContentCoding() async throws {
        let origin = Origin(["/a": (200, [.contentEncoding: "gzip"], [0x1F, 0x8B, 8, 0, 1])])
        let error = await #expect(throws: MediaJobError.self) { try await fetch(origin, "/a") }
        #expect(error?.message == "http://h/a: the compressed body is damaged or truncated")
    }

    @Test(arguments: ["br", "gzip, br"])
    func reportsUnknownContentCoding(coding: String) async throws {
        let origin = Origin(["/a": (200, [.contentEncoding: coding], Array(Self.playlist.utf8))])
        let error = await #expect(throws: MediaJobError.self) { try await fetch(origin, "/a") }
        #expect(error?.message.contains("Content-Encoding") == true)
    }

    @Test func stopsReadingMediaAfter64KiB() async throws {
        let film = [0, 0, 0, 24] + Array("ftypisom".utf8) + [UInt8](repeating: 0, count: 10 << 20)
        let origin = Origin(["/a": (302, [.location: "/film"], []), "/film": (200, [:], film)])
        let error = await #expect(throws: MediaJobError.self) { try await fetch(origin, "/a") }
        #expect(error?.message == "http://h/a (redirected to http://h/film) isn't a playlist; it is MP4")
        #expect(origin.bytesSent.withLock { $0 } == 64 << 10)
    }

    @Test func reportsOriginErrorStatus() async throws {
        let error = await #expect(throws: CacheError.self) { try await fetch(Origin([:]), "/a") }
        #expect(error?.status == 404)
    }
}
