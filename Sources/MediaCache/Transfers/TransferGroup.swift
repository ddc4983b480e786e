import Synchronization

/// The transfers of one thing, as an asset is: they share a rank and a limit, and take turns with those of others.
///
/// A fill that several share belongs to the group of the request that began it.
public final class TransferGroup: Sendable {
    /// What a person calls it, for logs.
    public let name: String

    private struct State {
        var rank: Int
        var limit: Int?
        /// Where its transfers are queued.
        var schedulers: [WeakScheduler] = []
    }

    private struct WeakScheduler {
        weak var scheduler: TransferScheduler?
    }

    private let state: OrderedMutex<State>

    /// Creates a group without transfers.
    ///
    /// - Parameters:
    ///   - name: what messages call it.
    ///   - rank: the smaller goes first within a class. 0 unless set, as for transfers without a group.
    ///   - limit: how many transfers run at once; nil for as many as the store allows.
    public init(name: String, rank: Int = 0, limit: Int? = nil) {
        self.name = name
        state = OrderedMutex(.group, State(rank: rank, limit: limit))
    }

    /// Which group goes first within a class: the one with the smaller rank. Waiting transfers follow a change at once.
    public var rank: Int {
        get { state.withLock { $0.rank } }
        set { change { $0.rank = newValue } }
    }

    /// How many transfers run at once; nil for as many as the store allows. What plays may go over it as it may go over
    /// the store's limits (``TransferScheduler/Limits/playbackReserve``). What runs when it's lowered runs to its end.
    public var limit: Int? {
        get { state.withLock { $0.limit } }
        set { change { $0.limit = newValue } }
    }

    var terms: TransferQueue.Terms { state.withLock { TransferQueue.Terms(rank: $0.rank, limit: $0.limit) } }

    /// A transfer of the group is queued there: it wants to know of changes.
    func attach(_ scheduler: TransferScheduler) {
        state.withLock { state in
            guard !state.schedulers.contains(where: { $0.scheduler === scheduler }) else { return }
            state.schedulers.removeAll { $0.scheduler == nil }
            state.schedulers.append(WeakScheduler(scheduler: scheduler))
        }
    }

    private func change(_ change: (inout State) -> Void) {
        let schedulers = state.withLock { state in
            change(&state)
            return state.schedulers.compactMap(\.scheduler)
        }
        for scheduler in schedulers { scheduler.termsChanged(of: self) }
    }
}
