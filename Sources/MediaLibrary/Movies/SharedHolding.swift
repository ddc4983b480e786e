internal import Synchronization

/// Bytes that readers of movies at the same time may hold together, each as many as the others.
///
/// A segment gives more than is read next. What can't be held of it is made once more, so that many readers take more
/// time, and not more memory.
public final class SharedHolding: Sendable {
    private let bytes: Int
    private let least: Int
    private let readers = Atomic(0)

    /// - Parameters:
    ///   - bytes: how many bytes, over all readers.
    ///   - least: what each may hold in any case. A second or so of a film: less doesn't help.
    public init(of bytes: Int, least: Int = 2 << 20) {
        self.bytes = bytes
        self.least = least
    }

    /// How many readers there are now.
    package var count: Int { readers.load(ordering: .relaxed) }

    /// How many bytes one reader may hold now.
    var share: Int { max(least, bytes / max(1, count)) }

    func enter() { readers.add(1, ordering: .relaxed) }

    func leave() { readers.subtract(1, ordering: .relaxed) }
}
