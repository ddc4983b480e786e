import Foundation

/// A live playlist whose media sequence number is the number of the request.
enum LivePlaylist {
    static let path = "live.m3u8"

    /// A response to a client, with the times when it was requested and received.
    struct Response: Sendable {
        var number: Int
        var requested: ContinuousClock.Instant
        var arrived: ContinuousClock.Instant
    }

    /// Starts an origin that responds with a new playlist to each request.
    ///
    /// - Parameters:
    ///   - delay: The time from the return of `hold` to the response.
    ///   - hold: Called with the number of each request. Blocks the request's thread.
    static func origin(
        answeringAfter delay: Duration, hold: @escaping @Sendable (Int) -> Void = { _ in }
    ) throws -> ScriptedOrigin {
        try ScriptedOrigin { request in
            hold(request.number)
            let text = """
                #EXTM3U
                #EXT-X-TARGETDURATION:1
                #EXT-X-MEDIA-SEQUENCE:\(request.number)
                #EXTINF:1,
                segment\(request.number).ts

                """
            return .init(
                fields: ["Content-Type": "application/vnd.apple.mpegurl"], body: Data(text.utf8), delay: delay)
        }
    }

    /// Returns the media sequence number of the playlist.
    static func number(at url: URL, over connection: HTTPConnection) throws -> Int {
        let head = try connection.request(url)
        let text = String(decoding: try connection.body(), as: UTF8.self)
        guard head.status == 200, let match = text.firstMatch(of: #/\#EXT-X-MEDIA-SEQUENCE:(\d+)/#),
            let number = Int(match.1)
        else { throw HarnessError("\(url): \(head.status) \(text)") }
        return number
    }
}
