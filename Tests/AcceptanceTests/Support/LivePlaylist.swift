import Foundation

/// A live playlist that is another one at every request: its media sequence number counts the requests.
enum LivePlaylist {
    static let path = "live.m3u8"

    /// An answer to a client, and the times of its request and its arrival.
    struct Answer: Sendable {
        var number: Int
        var asked: ContinuousClock.Instant
        var arrived: ContinuousClock.Instant
    }

    /// An origin that makes each playlist when it is asked, and takes `delay` to bring it.
    static func origin(answeringAfter delay: Duration) throws -> ScriptedOrigin {
        try ScriptedOrigin { request in
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

    /// Asks for the playlist: the number that it bears.
    static func number(at url: URL, over connection: HTTPConnection) throws -> Int {
        let head = try connection.request(url)
        let text = String(decoding: try connection.body(), as: UTF8.self)
        guard head.status == 200, let match = text.firstMatch(of: #/\#EXT-X-MEDIA-SEQUENCE:(\d+)/#),
            let number = Int(match.1)
        else { throw HarnessError("\(url): \(head.status) \(text)") }
        return number
    }
}
