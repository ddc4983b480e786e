import Foundation
import HTTPTypes
import MediaCache
import MediaCacheTesting

/// A scripted origin that serves different content below `/private/` to each user, and requires the user's password
/// there. Other paths are public.
final class GuardedOrigin: Origin {
    let scripted = ScriptedOrigin()
    let base = "http://origin.example"
    private let passwords = ["bob": "secret", "alice": "hidden"]
    private let refused: ResourceURL

    init() throws {
        refused = try ResourceURL("\(base)/refused")
        scripted.always(refused, .status(401))
        try put("/public.mp4", Self.body("public"))
        try put(
            "/mixed.m3u8",
            Array(
                """
                #EXTM3U
                #EXT-X-TARGETDURATION:4
                #EXTINF:4,
                http://bob:secret@origin.example/private/1.ts
                #EXTINF:4,
                //alice:hidden@origin.example/private/1.ts
                #EXT-X-ENDLIST

                """.utf8))
        for user in passwords.keys {
            try put("/private/film.mp4?of=\(user)", Self.body(user))
            try put("/private/list.m3u8?of=\(user)", Self.playlist)
            try put("/private/1.ts?of=\(user)", [0x47] + Self.body(user))
        }
    }

    static func body(_ user: String) -> [UInt8] { Array(repeating: Array(user.utf8), count: 50_000).flatMap { $0 } }

    static let playlist = Array(
        "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n/private/1.ts\n#EXTINF:4,\n1.ts\n#EXT-X-ENDLIST\n".utf8)

    private func put(_ path: String, _ bytes: [UInt8]) throws {
        scripted[try ResourceURL(base + path)] = ScriptedResource(.bytes(bytes))
    }

    func send(_ request: OriginRequest) async throws -> OriginResponse {
        var request = request
        if request.url.path.hasPrefix("/private/") {
            let user = passwords.first { user, password in
                let credentials = Data("\(user):\(password)".utf8).base64EncodedString()
                return request.headerFields[.authorization] == "Basic \(credentials)"
            }
            request.url =
                if let user { try ResourceURL("\(base)\(request.url.path)?of=\(user.key)") } else { refused }
        }
        return try await scripted.send(request)
    }
}
