import Synchronization

/// An observer of received content. It can't change the content.
///
/// It receives each buffer as sent by the origin, before any ``ContentTransform``. Cached content isn't observed.
/// Buffers of one response are in order; those of several responses may be interleaved. Transfers don't wait for an
/// observer: while it processes a buffer, up to 4 MiB are queued, and further bytes are skipped and counted in
/// ``ObservedBytes/missed``.
public struct ContentObserver: Sendable {
    /// The resource kinds that it observes.
    public let kinds: Set<ResourceKind>
    let observe: @Sendable (ObservedBytes) async -> Void

    /// Creates an observer of `kinds`. Calls of `observe` don't overlap.
    public init(
        kinds: Set<ResourceKind> = Set(ResourceKind.allCases),
        observe: @escaping @Sendable (ObservedBytes) async -> Void
    ) {
        self.kinds = kinds
        self.observe = observe
    }
}

/// A buffer of a resource's bytes as sent by its origin.
public struct ObservedBytes: Sendable {
    /// The URL of the resource.
    public let url: ResourceURL
    /// The kind of the resource.
    public let kind: ResourceKind
    /// The byte range within the resource.
    public let range: Range<Int64>
    /// The number of bytes of all resources skipped since the previous buffer, because the observer was too slow.
    public internal(set) var missed: Int64 = 0
    let piece: OriginPiece

    /// Calls `body` with the bytes, which are valid only during the call.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try piece.withUnsafeBytes(body)
    }
}

/// The bounded queue of an observer.
final class ObserverQueue: Sendable {
    private static let capacity = 4 << 20

    private struct State {
        var waiting: [ObservedBytes] = []
        var byteCount = 0
        var missed: Int64 = 0
        var isShowing = false
    }

    let observer: ContentObserver
    private let state = Mutex(State())

    init(_ observer: ContentObserver) {
        self.observer = observer
    }

    /// Queues bytes, or skips them if the queue is full.
    func offer(_ bytes: ObservedBytes) {
        let starts = state.withLock { state in
            guard state.byteCount + bytes.range.count <= Self.capacity else {
                state.missed += Int64(bytes.range.count)
                return false
            }
            var bytes = bytes
            bytes.missed = state.missed
            state.missed = 0
            state.waiting.append(bytes)
            state.byteCount += bytes.range.count
            defer { state.isShowing = true }
            return !state.isShowing
        }
        if starts { Task { await show() } }
    }

    private func show() async {
        while let bytes = next() { await observer.observe(bytes) }
    }

    private func next() -> ObservedBytes? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isShowing = false
                return nil
            }
            let bytes = state.waiting.removeFirst()
            state.byteCount -= bytes.range.count
            return bytes
        }
    }
}
