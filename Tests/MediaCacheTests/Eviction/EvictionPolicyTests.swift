import Foundation
import MediaCache
import MediaCacheTesting
import Testing

struct EvictionPolicyTests {
    @Test(arguments: EvictionPolicyContract.Rule.allCases)
    func leastRecentlyUsedPolicyMeetsContract(_ rule: EvictionPolicyContract.Rule) throws {
        try EvictionPolicyContract(LeastRecentlyUsed()).check(rule)
    }

    @Test func contractDetectsInactivePolicy() {
        struct InactivePolicy: EvictionPolicy {
            func steps(for situation: EvictionSituation) -> [EvictionStep] { [] }
        }
        #expect(throws: EvictionPolicyContract.Violation.self) {
            try EvictionPolicyContract(InactivePolicy()).check(.appliesByteLimit)
        }
    }

    private func situation(_ sizes: [Int64], over: Int64) -> EvictionSituation {
        let candidates = sizes.enumerated().map { index, bytes in
            EvictionSituation.Candidate(id: Int64(index), bytes: bytes, lastUsed: Date(timeIntervalSince1970: 0))
        }
        let used = sizes.reduce(0, +)
        return EvictionSituation(
            candidates: candidates, limits: CacheLimits(maximumBytes: used - over, minimumFreeBytes: 0),
            usedBytes: used, freeDiskBytes: 1 << 40, now: Date(timeIntervalSince1970: 0))
    }

    @Test func removesLeastRecentlyUsedResourcesAsNeeded() {
        let steps = LeastRecentlyUsed().steps(for: situation([10, 20, 30, 40], over: 25))
        #expect(steps == [.remove(id: 0), .remove(id: 1)])
    }

    @Test func shrinksLargeResource() {
        let steps = LeastRecentlyUsed(shrinkableSize: 100).steps(for: situation([10, 1000, 30], over: 60))
        #expect(steps == [.remove(id: 0), .shrink(id: 1, bytes: 50)])
    }
}
