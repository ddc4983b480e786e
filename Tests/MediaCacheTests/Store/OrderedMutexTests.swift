import Testing

@testable import MediaCache

struct OrderedMutexTests {
    @Test func acquiresLocksInOrder() {
        let resource = OrderedMutex(.resource, 1)
        let traffic = OrderedMutex(.traffic, 2)
        #expect(resource.withLock { outer in traffic.withLock { outer + $0 } } == 3)
        #expect(traffic.withLock { $0 } == 2)
        #expect(resource.withLock { $0 } == 1)
        #expect(resource.withLockIfAvailable { outer in traffic.withLock { outer + $0 } } == 3)
        #expect(resource.withLock { _ in resource.withLockIfAvailable { $0 } } == nil)
    }

    #if DEBUG
        @Test func refusesLocksOutOfOrder() async {
            await #expect(processExitsWith: .failure) {
                let scheduler = OrderedMutex(.scheduler, 1)
                let representation = OrderedMutex(.representation, 2)
                _ = scheduler.withLock { outer in representation.withLock { outer + $0 } }
            }
        }

        @Test func refusesAvailableLockOutOfOrder() async {
            await #expect(processExitsWith: .failure) {
                let scheduler = OrderedMutex(.scheduler, 1)
                let representation = OrderedMutex(.representation, 2)
                _ = scheduler.withLock { outer in representation.withLockIfAvailable { outer + $0 } }
            }
        }

        @Test func refusesTwoLocksOfSameRank() async {
            await #expect(processExitsWith: .failure) {
                let first = OrderedMutex(.resource, 1)
                let second = OrderedMutex(.resource, 2)
                _ = first.withLock { outer in second.withLock { outer + $0 } }
            }
        }
    #endif
}
