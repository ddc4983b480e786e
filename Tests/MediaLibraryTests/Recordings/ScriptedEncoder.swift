import Foundation
import MediaCache
import MediaLibrary
import Synchronization

/// An encoder with scripted behavior.
final class ScriptedEncoder: MediaFileEncoder {
    enum Behavior {
        /// Writes ``text`` and ends.
        case writes
        /// Reports half of the progress, then hangs until it is cancelled.
        case hangs
        /// Ends as if another process had interrupted it.
        case isEnded
        case fails(String)
    }

    static let text = "encoded"

    let behavior = Mutex(Behavior.writes)
    /// The lengths in bytes of the films to encode, in order.
    let films = Mutex<[Int]>([])
    /// A stream of signals that the encoder hangs.
    let hangs: AsyncStream<Void>
    private let hanging: AsyncStream<Void>.Continuation

    init(_ behavior: Behavior = .writes) {
        (hangs, hanging) = AsyncStream.makeStream()
        self.behavior.withLock { $0 = behavior }
    }

    func encode(
        _ input: String, asThreeGP output: String, duration seconds: Double,
        onProgress: @escaping @Sendable (Double) -> Void
    ) async throws {
        films.withLock { $0.append(FileManager.default.contents(atPath: input)?.count ?? 0) }
        try Data(Self.text.utf8).write(to: URL(fileURLWithPath: output))
        onProgress(0.5)
        switch behavior.withLock({ $0 }) {
        case .writes: break
        case .isEnded: throw CancellationError()
        case .fails(let reason): throw CacheError(.notMedia, reason)
        case .hangs:
            hanging.yield()
            let (never, continuation) = AsyncStream.makeStream(of: Void.self)
            for await _ in never {}
            _ = continuation
            try Task.checkCancellation()
        }
    }
}
