/// Which transfers run, which wait, and who is next. Pure: it takes no lock and wakes nobody.
///
/// Those that wait are kept by class, group and host, in order of arrival: finding the next looks at one of each, however
/// many wait.
struct TransferQueue: Sendable {
    typealias ID = Int
    typealias GroupID = ObjectIdentifier

    /// What holds for the transfers of a group.
    struct Terms: Sendable, Hashable {
        var rank = 0
        var limit: Int?
    }

    /// Those that wait and differ in their arrival alone.
    private struct Lane: Hashable {
        var transferClass: TransferClass
        var group: GroupID?
        var host: String
    }

    private struct Entry {
        var lane: Lane
        var isRunning = false
        var isWaiting = false
    }

    private struct Group {
        var terms = Terms()
        var running = 0
        /// How many entries there are, running, waiting or neither.
        var entries = 0
    }

    var limits: TransferScheduler.Limits
    private var nextID = 0
    private var entries: [ID: Entry] = [:]
    private var lanes: [Lane: OrderedIDs] = [:]
    private var groups: [GroupID?: Group] = [:]
    private var runningByHost: [String: Int] = [:]
    private var running: Set<ID> = []
    private(set) var waitingCount = 0

    init(limits: TransferScheduler.Limits) {
        self.limits = limits
    }

    /// Whether nothing is left of any transfer.
    var isEmpty: Bool {
        entries.isEmpty && lanes.isEmpty && groups.isEmpty && runningByHost.isEmpty && runningCount == 0
            && waitingCount == 0
    }

    func transferClass(of id: ID) -> TransferClass? { entries[id]?.lane.transferClass }
    var runningCount: Int { running.count }
    func isRunning(_ id: ID) -> Bool { entries[id]?.isRunning ?? false }
    func running(in group: GroupID?) -> Int { groups[group]?.running ?? 0 }
    func running(at host: String) -> Int { runningByHost[host] ?? 0 }
    func contains(_ id: ID) -> Bool { entries[id] != nil }

    // MARK: - Coming and going

    /// A transfer that neither runs nor waits yet. Its arrival is now.
    mutating func add(host: String, _ transferClass: TransferClass, group: (id: GroupID, terms: Terms)?) -> ID {
        nextID += 1
        entries[nextID] = Entry(lane: Lane(transferClass: transferClass, group: group?.id, host: host))
        groups[group?.id, default: Group()].entries += 1
        if let group { groups[group.id]?.terms = group.terms }
        return nextID
    }

    /// It waits for a place from now on, unless it has one.
    mutating func wait(_ id: ID) {
        guard let entry = entries[id], !entry.isRunning, !entry.isWaiting else { return }
        entries[id]?.isWaiting = true
        lanes[entry.lane, default: OrderedIDs()].insert(id)
        waitingCount += 1
    }

    /// It waits no longer.
    mutating func stopWaiting(_ id: ID) {
        guard let entry = entries[id], entry.isWaiting else { return }
        entries[id]?.isWaiting = false
        lanes[entry.lane]?.remove(id)
        if lanes[entry.lane]?.isEmpty == true { lanes[entry.lane] = nil }
        waitingCount -= 1
    }

    mutating func change(_ id: ID, to transferClass: TransferClass) {
        guard let entry = entries[id], entry.lane.transferClass != transferClass else { return }
        stopWaiting(id)
        entries[id]?.lane.transferClass = transferClass
        if entry.isWaiting { wait(id) }
        // The reserve is for what plays: what it let in over the limits has to wait its turn once it doesn't.
        if entry.isRunning, transferClass != .playback, isOver(entry.lane) { giveBack(id) }
    }

    mutating func change(_ group: GroupID, to terms: Terms) {
        groups[group]?.terms = terms
    }

    mutating func giveBack(_ id: ID) {
        guard let entry = entries[id], entry.isRunning else { return }
        entries[id]?.isRunning = false
        running.remove(id)
        groups[entry.lane.group]?.running -= 1
        let left = runningByHost[entry.lane.host, default: 1] - 1
        runningByHost[entry.lane.host] = left > 0 ? left : nil
    }

    mutating func remove(_ id: ID) {
        guard let entry = entries[id] else { return }
        stopWaiting(id)
        giveBack(id)
        entries[id] = nil
        groups[entry.lane.group]?.entries -= 1
        if groups[entry.lane.group]?.entries == 0 { groups[entry.lane.group] = nil }
    }

    // MARK: - Places

    /// Transfers that run where one above the background class waits for a place that the end of one of them would make
    /// free, the oldest first.
    func inTheWay() -> [ID] {
        guard waitingCount > 0 else { return [] }
        let blocked = lanes.keys.filter { $0.transferClass > .background && !isFree($0) }
        guard !blocked.isEmpty else { return [] }
        return running.sorted().filter { id in
            guard let lane = entries[id]?.lane else { return false }
            return blocked.contains { waiting in
                (lane.host == waiting.host || !isHostFull(waiting))
                    && (lane.group == waiting.group || !isGroupFull(waiting))
            }
        }
    }

    /// Takes a place, if one is free for it that nobody waits for who comes before.
    mutating func takePlace(_ id: ID) -> Bool {
        guard let entry = entries[id] else { return false }
        if entry.isRunning { return true }
        // Whoever waits and could have had this place has it.
        guard isFree(entry.lane) else { return false }
        stopWaiting(id)
        entries[id]?.isRunning = true
        running.insert(id)
        groups[entry.lane.group]?.running += 1
        runningByHost[entry.lane.host, default: 0] += 1
        return true
    }

    /// Gives free places to those that wait, the first first. Returns who runs now.
    mutating func admit() -> [ID] {
        var admitted: [ID] = []
        while runningCount < limits.total + limits.playbackReserve, let next = next() {
            _ = takePlace(next)
            admitted.append(next)
        }
        return admitted
    }

    /// The first of those that may run.
    private func next() -> ID? {
        var best: (key: Lane, value: OrderedIDs)?
        for lane in lanes where isFree(lane.key) && best.map({ isBefore(lane, $0) }) ?? true { best = lane }
        return best?.value.first
    }

    private func isBefore(_ a: (key: Lane, value: OrderedIDs), _ b: (key: Lane, value: OrderedIDs)) -> Bool {
        let (groupA, groupB) = (groups[a.key.group] ?? Group(), groups[b.key.group] ?? Group())
        return (b.key.transferClass, groupA.terms.rank, groupA.running, a.value.first ?? .max)
            < (a.key.transferClass, groupB.terms.rank, groupB.running, b.value.first ?? .max)
    }

    private func isFree(_ lane: Lane) -> Bool {
        runningCount < limits.total + reserve(lane) && !isHostFull(lane) && !isGroupFull(lane)
    }

    private func reserve(_ lane: Lane) -> Int { lane.transferClass == .playback ? limits.playbackReserve : 0 }

    private func isHostFull(_ lane: Lane) -> Bool { running(at: lane.host) >= limits.perHost + reserve(lane) }

    private func isGroupFull(_ lane: Lane) -> Bool {
        guard let group = groups[lane.group], let limit = group.terms.limit else { return false }
        return group.running >= limit + reserve(lane)
    }

    private func isOver(_ lane: Lane) -> Bool {
        let isGroupOver = groups[lane.group].map { group in group.terms.limit.map { group.running > $0 } ?? false }
        return runningCount > limits.total || running(at: lane.host) > limits.perHost || isGroupOver ?? false
    }
}

/// Numbers in order. Those that come are mostly the largest, those that go mostly the smallest.
private struct OrderedIDs: Sendable {
    private var ids: [Int] = []
    private var start = 0

    var first: Int? { isEmpty ? nil : ids[start] }
    var isEmpty: Bool { start == ids.count }

    mutating func insert(_ id: Int) {
        if let last = ids.last, last > id, !isEmpty { ids.insert(id, at: index(of: id)) } else { ids.append(id) }
    }

    mutating func remove(_ id: Int) {
        let index = index(of: id)
        guard index < ids.count, ids[index] == id else { return }
        guard index == start else {
            ids.remove(at: index)
            return
        }
        start += 1
        // So that what is gone takes no more room than what is here.
        if start > ids.count / 2 {
            ids.removeFirst(start)
            start = 0
        }
    }

    /// The index of the first that isn't smaller.
    private func index(of id: Int) -> Int {
        var (low, high) = (start, ids.count)
        while low < high {
            let middle = (low + high) / 2
            if ids[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
