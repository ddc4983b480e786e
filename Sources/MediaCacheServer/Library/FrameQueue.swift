import MediaCache
import MediaLibrary

/// Takes pictures out of films, a few at a time: each costs a decoder, and anybody on this machine may ask.
struct FrameQueue: Sendable {
    /// Where nothing else is said, the picture is from here, in seconds: past most black leaders.
    static let usualTime = 10.0

    private let taker: (any FrameTaker)?
    private let turnstile = Turnstile(mostAtOnce: 2, mostWaiting: 32)

    init(_ taker: (any FrameTaker)?) {
        self.taker = taker
    }

    /// Whether there is something that takes pictures.
    var isAble: Bool { taker != nil }

    /// A picture of a film; nil where there is none at that moment.
    ///
    /// - Throws: what the decoder throws; ``Problem`` where there is none; `CacheError` with `closed` when too many wait.
    func frame(of url: String, at time: Double) async throws -> Cover? {
        guard let taker else { throw Problem.noDecoder }
        return try await turnstile.pass { try await taker.frame(of: url, at: time) }
    }
}
