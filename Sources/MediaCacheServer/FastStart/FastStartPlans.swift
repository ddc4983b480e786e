import MediaCache
import MediaCacheAPI
import MediaContainers
import MediaLibrary
import Synchronization

/// A cache of the layouts of rearranged MP4 files, by version. Concurrent readers share one computation.
final class FastStartPlans: Sendable {
    /// The number of leading bytes that identify an MP4 file.
    static let frontLength: Int64 = 32
    /// The maximum size of one file's index, and of all cached indexes together, in bytes.
    private static let capacity = 64 << 20
    private static let maximumPlans = 1024
    /// The maximum total size of the indexes of open readers, in bytes. An index is counted once for each reader.
    private static let maximumHeldBytes = 256 << 20

    /// The index size of one reader, which counts toward the limit while this object exists.
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
    private let maximumHeldBytes: Int
    /// The limit of concurrent computations, since each reads a whole index into memory.
    private let limit: ConcurrencyLimit
    private let plans = SharedResults<ByteLayout?>(
        maximumCount: maximumPlans, maximumCost: Int64(capacity), cost: { $0?.generatedLength ?? 0 })

    init(maximumHeldBytes: Int = FastStartPlans.maximumHeldBytes, maximumConcurrent: Int = 2, maximumWaiting: Int = 32)
    {
        self.maximumHeldBytes = maximumHeldBytes
        limit = ConcurrencyLimit(maximumConcurrent, maximumWaiting: maximumWaiting)
    }

    /// Counts the index of another reader.
    ///
    /// - Throws: ``Problem`` if the indexes of open readers exceed the limit.
    func hold(_ layout: ByteLayout) throws -> Hold {
        let count = Int(layout.generatedLength)
        let total = held.add(count, ordering: .relaxed).newValue
        let hold = Hold(self, count)
        guard total <= maximumHeldBytes else { throw Problem.busy }
        return hold
    }

    /// Returns the layout of the rearranged file; nil if the file is served unchanged, because its index is already at
    /// the front or too large, or it isn't a valid MP4 file.
    ///
    /// - Throws: `CacheError`; ``ConcurrencyLimit/Exceeded`` if too many computations are waiting.
    func layout(
        of request: ReadRequest, in store: CacheStore, head: ResourceHead, length: Int64
    ) async throws -> ByteLayout? {
        try await plans.value(for: "\(head.entityTag) \(length) \(store.key(of: request))") { [limit] in
            try await limit.run { try await Self.plan(request, in: store, head: head, length: length) }
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
                part.range = .from(range.lowerBound, to: range.upperBound)
                let bytes = try await Self.bytes(part, in: store, head: head)
                do {
                    try planner.supply(bytes)
                } catch {
                    // A file that can't be rearranged may still play unchanged.
                    return nil
                }
            }
        }
    }

    private static func bytes(_ request: ReadRequest, in store: CacheStore, head: ResourceHead) async throws -> [UInt8]
    {
        let session = try await store.read(request)
        defer { session.cancel() }
        guard session.head.joins(head) else {
            throw CacheError(.representationChanged, "\(request.url) changed while its index was read")
        }
        var bytes: [UInt8] = []
        for try await buffer in session.buffers { bytes += buffer }
        return bytes
    }
}
