import MediaCache
import MediaCacheAPI
import MediaLibrary

/// Takes pictures out of films, a few at a time: each costs a decoder, and anybody on this machine may ask.
struct FrameQueue: Sendable {
    private let taker: (any FrameTaker)?
    private let turnstile = Turnstile(mostAtOnce: 2, mostWaiting: 32)

    init(_ taker: (any FrameTaker)?) {
        self.taker = taker
    }

    /// Whether there is something that takes pictures.
    var isAble: Bool { taker != nil }

    /// A picture of a film, at a time or at one that shows something; nil where there is none.
    ///
    /// - Throws: what the decoder throws; ``Problem`` where there is none, and when too many wait.
    func frame(of url: String, at time: Double?) async throws -> Cover? {
        guard let taker else { throw Problem.noDecoder }
        return try await turnstile.pass {
            if let time { return try await taker.frame(of: url, at: time) }
            return try await taker.frame(of: url)
        }
    }
}
