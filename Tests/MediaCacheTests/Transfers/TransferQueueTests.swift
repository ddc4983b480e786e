import TestSupport
import Testing

@testable import MediaCache

struct TransferQueueTests {
    private let groups = (0..<5).map { TransferGroup(name: "\($0)") }

    private func group(_ index: Int, rank: Int = 0, limit: Int? = nil) -> (TransferQueue.GroupID, TransferQueue.Terms) {
        (ObjectIdentifier(groups[index]), TransferQueue.Terms(rank: rank, limit: limit))
    }

    @Test func ordersByRankThenByRunningTransfers() {
        var queue = TransferQueue(limits: .init(total: 0, perHost: 8, playbackReserve: 0))
        let later = queue.add(host: "a", .download, group: group(1, rank: 2))
        let first = (0..<3).map { _ in queue.add(host: "a", .download, group: group(2, rank: 1)) }
        let second = (0..<2).map { _ in queue.add(host: "a", .download, group: group(3, rank: 1)) }
        let preload = queue.add(host: "a", .preload, group: group(1, rank: 2))
        for id in [later] + first + second + [preload] { queue.wait(id) }
        queue.limits.total = 8
        #expect(queue.admit() == [preload, first[0], second[0], first[1], second[1], first[2], later])
    }

    @Test func limitsGroupWithoutBlockingOthers() {
        var queue = TransferQueue(limits: .init(total: 3, perHost: 8, playbackReserve: 1))
        let own = (0..<3).map { _ in queue.add(host: "a", .download, group: group(0, limit: 1)) }
        let other = queue.add(host: "a", .background, group: nil)
        for id in own + [other] { queue.wait(id) }
        #expect(queue.admit() == [own[0], other])
        queue.change(ObjectIdentifier(groups[0]), to: .init(limit: 2))
        #expect(queue.admit() == [own[1]])
        // Playback may exceed the limit.
        queue.change(own[2], to: .playback)
        #expect(queue.admit() == [own[2]])
        queue.change(own[2], to: .download)
        #expect(!queue.isRunning(own[2]))
    }

    /// Finding the next transfer must not examine every waiting one, which would exceed the time limit.
    @Test(.timeLimit(.minutes(30))) func admitsManyWaitingTransfersEfficiently() {
        var queue = TransferQueue(limits: .init(total: 6, perHost: 6, playbackReserve: 0))
        var ids: [Int] = []
        for index in 0..<100_000 {
            ids.append(queue.add(host: "a", .download, group: group(index % 4, rank: index % 2)))
            queue.wait(ids[index])
        }
        var running = queue.admit()
        var count = 0
        while let id = running.popLast() {
            count += 1
            queue.remove(id)
            running += queue.admit()
        }
        #expect(count == ids.count)
        #expect(queue.isEmpty)
    }

    /// Any sequence of calls respects the limits, leaves no transfer waiting while a slot is free, and leaves no
    /// entries in the end.
    @Test(arguments: 0..<5 as Range<UInt64>)
    func appliesLimitsForAnySequenceOfCalls(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let limits = TransferScheduler.Limits(total: 7, perHost: 3, playbackReserve: 2)
        var queue = TransferQueue(limits: limits)
        var terms = (0..<4).map { TransferQueue.Terms(rank: $0 % 3, limit: $0 == 3 ? nil : $0 + 1) }
        var alive: [Int: (host: String, group: Int?)] = [:]
        var classes: [Int: TransferClass] = [:]
        var waiting: Set<Int> = []
        for step in 0..<10_000 {
            let chosen = alive.keys.sorted().randomElement(using: &random)
            let transferClass = TransferClass.allCases.randomElement(using: &random) ?? .background
            switch Int.random(in: 0..<10, using: &random) {
            case 0, 1:
                let host = ["a", "b", "c"].randomElement(using: &random) ?? "a"
                let index = Int.random(in: -1..<4, using: &random)
                let group = index < 0 ? nil : (ObjectIdentifier(groups[index]), terms[index])
                let id = queue.add(host: host, transferClass, group: group)
                alive[id] = (host, index < 0 ? nil : index)
                classes[id] = transferClass
                queue.wait(id)
                if !queue.isRunning(id) { waiting.insert(id) }
            case 2, 3, 4:
                guard let chosen else { continue }
                queue.change(chosen, to: transferClass)
                classes[chosen] = transferClass
            case 5:
                let index = Int.random(in: 0..<4, using: &random)
                terms[index].rank = Int.random(in: 0..<4, using: &random)
                queue.change(ObjectIdentifier(groups[index]), to: terms[index])
            case 6:
                guard let chosen else { continue }
                queue.endAdmission(chosen)
                if Bool.random(using: &random) {
                    queue.wait(chosen)
                    waiting.insert(chosen)
                }
            case 7:
                guard let chosen else { continue }
                queue.stopWaiting(chosen)
                waiting.remove(chosen)
            default:
                guard let chosen else { continue }
                queue.remove(chosen)
                alive[chosen] = nil
                classes[chosen] = nil
                waiting.remove(chosen)
            }
            for id in queue.admit() {
                let waited = waiting.remove(id) != nil
                #expect(waited, "step \(step)")
            }
            let running = alive.filter { queue.isRunning($0.key) }
            #expect(queue.runningCount == running.count)
            #expect(queue.waitingCount == waiting.count)
            try check(running.keys.map { ($0, classes[$0] ?? .background) }, alive, terms, limits, step: step)
            for id in waiting where step % 20 == 0 {
                var copy = queue
                let isFree = copy.admit(id)
                #expect(!isFree, "step \(step): \(id) waits although a slot is free")
            }
        }
        for id in alive.keys { queue.remove(id) }
        #expect(queue.isEmpty)
    }

    /// Expects that the transfers other than playback respect the limits, and that all transfers respect the limits
    /// plus the playback reserve.
    private func check(
        _ running: [(id: Int, transferClass: TransferClass)], _ alive: [Int: (host: String, group: Int?)],
        _ terms: [TransferQueue.Terms], _ limits: TransferScheduler.Limits, step: Int
    ) throws {
        func check(_ part: [(id: Int, transferClass: TransferClass)], _ limit: Int) {
            #expect(part.count <= limit + limits.playbackReserve, "step \(step)")
            let others = part.count { $0.transferClass != .playback }
            #expect(others <= limit, "step \(step)")
        }
        check(running, limits.total)
        for host in ["a", "b", "c"] { check(running.filter { alive[$0.id]?.host == host }, limits.perHost) }
        for (index, terms) in terms.enumerated() {
            check(running.filter { alive[$0.id]?.group == index }, terms.limit ?? .max / 2)
        }
    }
}
