import MediaCache
import MediaCacheAPI
import MediaContainers
import Synchronization

/// How files are rearranged, by version: found once for all who ask meanwhile, and remembered.
final class FastStartPlans: Sendable {
    /// A file's first bytes tell whether it's one.
    static let frontLength: Int64 = 32
    /// The most bytes of indexes that are remembered, and that one may have.
    private static let capacity = 64 << 20
    private static let mostPlans = 1024
    /// The most bytes of indexes that open readers hold, each reader's counted.
    private static let mostHeld = 256 << 20

    /// The bytes of a reader's index, counted as long as the reader has this object.
    final class Hold: Sendable {
        private let plans: FastStartPlans
        private let count: Int

        fileprivate init(_ plans: FastStartPlans, _ count: Int) {
            self.plans = plans
            self.count = count
        }

        deinit { plans.held.subtract(count, ordering: .relaxed) }
    }

    private let held = Atomic(0)
    private let mostHeld: Int
    /// Each reads a whole index.
    private let turnstile: Turnstile
    private let plans = SharedResults<ByteLayout?>(
        most: mostPlans, largestCost: Int64(capacity), cost: { $0?.generatedLength ?? 0 })

    /// - Parameters:
    ///   - mostHeld: the most bytes of indexes that open readers hold.
    ///   - mostAtOnce: for how many files the layout is found at a time.
    ///   - mostWaiting: how many files wait meanwhile.
    init(mostHeld: Int = FastStartPlans.mostHeld, mostAtOnce: Int = 2, mostWaiting: Int = 32) {
        self.mostHeld = mostHeld
        turnstile = Turnstile(mostAtOnce: mostAtOnce, mostWaiting: mostWaiting)
    }

    /// Counts the index of one more reader.
    ///
    /// - Throws: ``Problem`` where open readers hold too much.
    func hold(_ layout: ByteLayout) throws -> Hold {
        let count = Int(layout.generatedLength)
        let total = held.add(count, ordering: .relaxed).newValue
        let hold = Hold(self, count)
        guard total <= mostHeld else { throw Problem.busy }
        return hold
    }

    /// The layout of the rearranged file, or nil where it's read as it is: its index comes first, or it's no MP4, or a
    /// damaged one.
    ///
    /// - Throws: `CacheError` if its bytes can't be had; ``Problem`` where too many wait.
    func layout(
        of request: ReadRequest, in store: CacheStore, head: ResourceHead, length: Int64
    ) async throws -> ByteLayout? {
        try await plans.value(for: "\(head.entityTag) \(length) \(store.key(of: request))") { [turnstile] in
            try await turnstile.pass { try await Self.plan(request, in: store, head: head, length: length) }
        }
    }

    private static func plan(
        _ request: ReadRequest, in store: CacheStore, head: ResourceHead, length: Int64
    ) async throws -> ByteLayout? {
        var planner = FastStartPlanner(length: length)
        while true {
            switch planner.step {
            case .done(let layout): return layout.isIdentity(ofLength: length) ? nil : layout
            case .read(let range):
                guard range.upperBound - range.lowerBound <= Int64(capacity), !range.isEmpty else { return nil }
                var part = request
                part.range = .closed(range.lowerBound, through: range.upperBound - 1)
                let bytes = try await Self.bytes(part, in: store, head: head)
                do {
                    try planner.supply(bytes)
                } catch {
                    // What can't be rearranged can still be played as it is.
                    return nil
                }
            }
        }
    }

    private static func bytes(_ request: ReadRequest, in store: CacheStore, head: ResourceHead) async throws -> [UInt8]
    {
        let session = try await store.read(request)
        defer { session.cancel() }
        guard session.head.entityTag == head.entityTag else {
            throw CacheError(.representationChanged, "\(request.url) changed while its index was read")
        }
        var bytes: [UInt8] = []
        for try await buffer in session.buffers { bytes += buffer }
        return bytes
    }
}
