/// The state of running and waiting transfers, which selects the next ones to run.
///
/// Waiting transfers are stored in lanes by class, group and host, in order of arrival. Finding the next transfer
/// examines only the first one of each lane.
struct TransferQueue: Sendable {
    typealias ID = Int
    typealias GroupID = ObjectIdentifier

    /// The rank and limit of a group.
    struct Terms: Sendable, Hashable {
        var rank = 0
        var limit: Int?
    }

    /// The properties shared by transfers that are admitted in order of arrival.
    private struct Lane: Hashable {
        var transferClass: TransferClass
        var group: GroupID?
        var host: String
    }

    private struct Entry {
        var lane: Lane
        var isWaiting = false
    }

    private struct Group {
        var terms = Terms()
        var running = 0
        /// The number of transfers: running, waiting or neither.
        var entries = 0
    }

    var limits: TransferScheduler.Limits
    private var nextID = 0
    private var entries: [ID: Entry] = [:]
    /// The waiting transfers of each lane in order of arrival.
    private var lanes: [Lane: [ID]] = [:]
    private var groups: [GroupID?: Group] = [:]
    private var runningByHost: [String: Int] = [:]
    private var running: Set<ID> = []
    private(set) var waitingCount = 0

    init(limits: TransferScheduler.Limits) {
        self.limits = limits
    }

    var isEmpty: Bool {
        entries.isEmpty && lanes.isEmpty && groups.isEmpty && runningByHost.isEmpty && runningCount == 0
            && waitingCount == 0
    }

    func transferClass(of id: ID) -> TransferClass? { entries[id]?.lane.transferClass }
    var runningCount: Int { running.count }
    func isRunning(_ id: ID) -> Bool { running.contains(id) }
    func running(at host: String) -> Int { runningByHost[host] ?? 0 }
    func contains(_ id: ID) -> Bool { entries[id] != nil }

    // MARK: - Registration

    /// Adds a transfer that neither runs nor waits yet. This call, not ``wait(_:)``, determines its order of arrival.
    mutating func add(host: String, _ transferClass: TransferClass, group: (id: GroupID, terms: Terms)?) -> ID {
        nextID += 1
        entries[nextID] = Entry(lane: Lane(transferClass: transferClass, group: group?.id, host: host))
        groups[group?.id, default: Group()].entries += 1
        if let group { groups[group.id]?.terms = group.terms }
        return nextID
    }

    /// Marks a transfer as waiting for admission unless it's running.
    mutating func wait(_ id: ID) {
        guard let entry = entries[id], !isRunning(id), !entry.isWaiting else { return }
        entries[id]?.isWaiting = true
        // Searched from the end, because most transfers wait in order of arrival.
        let index = lanes[entry.lane]?.lastIndex { $0 < id }.map { $0 + 1 } ?? 0
        lanes[entry.lane, default: []].insert(id, at: index)
        waitingCount += 1
    }

    mutating func stopWaiting(_ id: ID) {
        guard let entry = entries[id], entry.isWaiting else { return }
        entries[id]?.isWaiting = false
        if let index = lanes[entry.lane]?.firstIndex(of: id) { lanes[entry.lane]?.remove(at: index) }
        if lanes[entry.lane]?.isEmpty == true { lanes[entry.lane] = nil }
        waitingCount -= 1
    }

    mutating func change(_ id: ID, to transferClass: TransferClass) {
        guard let entry = entries[id], entry.lane.transferClass != transferClass else { return }
        stopWaiting(id)
        entries[id]?.lane.transferClass = transferClass
        if entry.isWaiting { wait(id) }
        // A transfer admitted from the playback reserve loses its admission when it's no longer playback.
        if isRunning(id), transferClass != .playback, isOver(entry.lane) { endAdmission(id) }
    }

    mutating func change(_ group: GroupID, to terms: Terms) {
        groups[group]?.terms = terms
    }

    mutating func endAdmission(_ id: ID) {
        guard let entry = entries[id], running.remove(id) != nil else { return }
        groups[entry.lane.group]?.running -= 1
        let left = runningByHost[entry.lane.host, default: 1] - 1
        runningByHost[entry.lane.host] = left > 0 ? left : nil
    }

    mutating func remove(_ id: ID) {
        guard let entry = entries[id] else { return }
        stopWaiting(id)
        endAdmission(id)
        entries[id] = nil
        groups[entry.lane.group]?.entries -= 1
        if groups[entry.lane.group]?.entries == 0 { groups[entry.lane.group] = nil }
    }

    // MARK: - Admission

    /// Returns the running transfers that block a waiting transfer above the background class, oldest first.
    func blockers() -> [ID] {
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

    /// Admits a transfer if the limits permit it. Returns whether it's running.
    mutating func admit(_ id: ID) -> Bool {
        guard let entry = entries[id] else { return false }
        if isRunning(id) { return true }
        // If a waiting transfer had precedence, it would already have been admitted.
        guard isFree(entry.lane) else { return false }
        stopWaiting(id)
        running.insert(id)
        groups[entry.lane.group]?.running += 1
        runningByHost[entry.lane.host, default: 0] += 1
        return true
    }

    /// Admits waiting transfers in order while the limits permit. Returns the admitted ones.
    mutating func admit() -> [ID] {
        var admitted: [ID] = []
        while runningCount < limits.total + limits.playbackReserve, let next = next() {
            _ = admit(next)
            admitted.append(next)
        }
        return admitted
    }

    /// Returns the first waiting transfer that may run.
    private func next() -> ID? {
        var best: (key: Lane, value: [ID])?
        for lane in lanes where isFree(lane.key) && best.map({ isBefore(lane, $0) }) ?? true { best = lane }
        return best?.value.first
    }

    private func isBefore(_ a: (key: Lane, value: [ID]), _ b: (key: Lane, value: [ID])) -> Bool {
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
