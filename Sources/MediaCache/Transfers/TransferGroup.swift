/// A group of transfers with a common purpose, such as the parts of an asset. They share a rank and a limit, and take
/// turns with the transfers of other groups.
///
/// A fill shared by several readers belongs to the group of the request that started it.
public final class TransferGroup: Sendable {
    /// The name of the group, for the app's own logs.
    public let name: String

    private struct State {
        var rank: Int
        var limit: Int?
        /// The schedulers of its transfers.
        var schedulers: [WeakScheduler] = []
    }

    private struct WeakScheduler {
        weak var scheduler: TransferScheduler?
    }

    private let state: OrderedMutex<State>

    /// Creates a group without transfers.
    ///
    /// - Parameters:
    ///   - name: The name of the group, for the app's own logs.
    ///   - rank: The rank within a class, lowest first. 0 by default, as for transfers without a group.
    ///   - limit: The maximum number of concurrent transfers; nil for the store's limits only.
    public init(name: String, rank: Int = 0, limit: Int? = nil) {
        self.name = name
        state = OrderedMutex(.group, State(rank: rank, limit: limit))
    }

    /// The rank within a class, lowest first. Changes also apply to waiting transfers.
    public var rank: Int {
        get { state.withLock { $0.rank } }
        set { change { $0.rank = newValue } }
    }

    /// The maximum number of concurrent transfers; nil for the store's limits only. Playback may exceed it by
    /// ``TransferScheduler/Limits/playbackReserve``. Lowering it doesn't stop running transfers.
    public var limit: Int? {
        get { state.withLock { $0.limit } }
        set { change { $0.limit = newValue } }
    }

    var terms: TransferQueue.Terms { state.withLock { TransferQueue.Terms(rank: $0.rank, limit: $0.limit) } }

    /// Registers a scheduler to be notified of changes.
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
