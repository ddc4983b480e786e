import Synchronization

/// The ranks of locks, in the order in which a thread may acquire them.
///
/// A thread that holds a lock may acquire only locks of later ranks. Callbacks are called outside all locks, with three
/// exceptions: ``session``, which is acquired first and held by the session's only reader; the locks of limits and
/// settings, under which the function that changes these is called; and the lock of an event hub, under which the
/// filters of subscribers are called.
enum LockRank: Int, CaseIterable {
    case session, writing, table, resource, memoryFills, memoryFill, representation, blob, committer, scheduler, group
    case traffic
}

/// A mutex with a rank in the lock order. Debug builds assert that each thread follows the order.
struct OrderedMutex<Value: ~Copyable>: ~Copyable, Sendable {
    private let mutex: Mutex<Value>
    #if DEBUG
        private let rank: LockRank
    #endif

    init(_ rank: LockRank, _ value: consuming sending Value) {
        mutex = Mutex(value)
        #if DEBUG
            self.rank = rank
        #endif
    }

    func withLock<Result: ~Copyable, E: Error>(
        _ body: (inout sending Value) throws(E) -> sending Result
    ) throws(E) -> sending Result {
        #if DEBUG
            HeldLocks.enter(rank)
            defer { HeldLocks.leave(rank) }
        #endif
        return try mutex.withLock(body)
    }

    /// Calls `body` with the lock unless another thread holds it. Returns nil without waiting if one does.
    func withLockIfAvailable<Result: ~Copyable, E: Error>(
        _ body: (inout sending Value) throws(E) -> sending Result
    ) throws(E) -> sending Result? {
        try mutex.withLockIfAvailable { value throws(E) in
            #if DEBUG
                HeldLocks.enter(rank)
                defer { HeldLocks.leave(rank) }
            #endif
            return try body(&value)
        }
    }
}

#if DEBUG
    /// The ranks of the locks that the current thread holds, one bit each, in thread-specific storage.
    private enum HeldLocks {
        private static let held = ThreadNumber()

        static func enter(_ rank: LockRank) {
            let ranks = held.current
            assert(ranks >> rank.rawValue == 0, "lock \(rank) acquired while holding \(names(of: ranks))")
            held.current = ranks | 1 << rank.rawValue
        }

        static func leave(_ rank: LockRank) { held.current &= ~(1 << rank.rawValue) }

        private static func names(of held: Int) -> String {
            LockRank.allCases.filter { held & 1 << $0.rawValue != 0 }.map { "\($0)" }.joined(separator: ", ")
        }
    }
#endif
