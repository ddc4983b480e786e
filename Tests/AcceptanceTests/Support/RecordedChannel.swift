import Foundation
import HLS

/// A channel that a running server records, as seen by a client.
struct RecordedChannel {
    struct Span: Decodable, Equatable {
        var from: Int64
        var to: Int64
    }

    struct Status: Decodable {
        var name: String
        var state: String
        var reason: String?
        var edge: Int64?
        var recordedRanges: [Span]
        var bytes: Int64
        var segments: Int
        var gaps: Int
        var tracks: [String]
    }

    struct Window {
        var text: String
        var playlist: MediaPlaylist

        /// The URIs of the segments; `gap.ts` for gaps.
        var names: [String] { playlist.segments.map(\.uri) }
        var numbers: [Int] { (0..<playlist.segments.count).map { playlist.mediaSequence + $0 } }
    }

    let server: RunningServer
    let name: String
    let key: String

    /// Adds a channel to a server, which records all variant streams. `more` is appended to the JSON of the request.
    init(_ name: String, of url: URL, on server: RunningServer, _ more: String = "") async throws {
        self.server = server
        self.name = name
        key = try await server.key()
        let (status, body) = try server.call(
            "POST", "/api/v1/channels", key: key,
            #"{"name": "\#(name)", "url": "\#(url)", "variant": "all"\#(more)}"#)
        guard status == 201 || status == 200 else {
            throw HarnessError("POST channels: \(status) \(String(decoding: body, as: UTF8.self))")
        }
    }

    /// Opens a channel that a server records.
    init(_ name: String, on server: RunningServer) async throws {
        self.server = server
        self.name = name
        key = try await server.key()
    }

    func status() throws -> Status {
        let (status, body) = try server.call("GET", "/api/v1/channels/\(name)", key: key)
        guard status == 200 else { throw HarnessError("channel: \(status) \(String(decoding: body, as: UTF8.self))") }
        return try JSONDecoder().decode(Status.self, from: body)
    }

    func change(_ state: String) throws {
        let (status, body) = try server.call("PATCH", "/api/v1/channels/\(name)", key: key, #"{"state": "\#(state)"}"#)
        guard status == 200 else { throw HarnessError("PATCH: \(status) \(String(decoding: body, as: UTF8.self))") }
    }

    func url(_ path: String) -> URL {
        URL(string: "live/\(name)/\(path)", relativeTo: server.base)?.absoluteURL ?? server.base
    }

    func get(_ path: String) throws -> (status: Int, body: Data) { try HTTPConnection.get(url(path)) }

    func window(_ path: String) throws -> Window {
        let (status, body) = try get(path)
        let text = String(decoding: body, as: UTF8.self)
        guard status == 200 else { throw HarnessError("\(path): \(status) \(text)") }
        guard case .media(let playlist) = try PlaylistParser(isStrict: true).parse(Array(body)).playlist else {
            throw HarnessError("\(path) isn't a media playlist")
        }
        return Window(text: text, playlist: playlist)
    }

    /// Returns the path of a track's playlist, as referenced by a primary playlist.
    func child(of path: String, track: String) throws -> String {
        let (status, body) = try get(path)
        let text = String(decoding: body, as: UTF8.self)
        guard status == 200 else { throw HarnessError("\(path): \(status) \(text)") }
        guard let found = text.firstMatch(of: try Regex("\(track)/[^\"\\s]+")) else {
            throw HarnessError("\(path) has no track \(track): \(text)")
        }
        return String(text[found.range])
    }
}
