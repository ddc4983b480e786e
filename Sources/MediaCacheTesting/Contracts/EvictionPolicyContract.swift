import Foundation
public import MediaCache

/// The contract of `EvictionPolicy` as tests that any implementation can be put to.
///
/// ```swift
/// @Test(arguments: EvictionPolicyContract.Rule.allCases)
/// func keepsTheContract(_ rule: EvictionPolicyContract.Rule) throws {
///     try EvictionPolicyContract(MyPolicy()).check(rule)
/// }
/// ```
public struct EvictionPolicyContract: Sendable {
    /// What a policy must do.
    public enum Rule: String, Sendable, CaseIterable {
        /// Within the limits nothing goes.
        case leavesWhatIsWithinTheLimits
        /// What the byte limit asks for goes, as far as the candidates reach.
        case keepsTheByteLimit
        /// What the free-disk reserve asks for goes, as far as the candidates reach.
        case keepsTheFreeDiskReserve
        /// What is older than the age limit goes.
        case keepsTheAgeLimit
        /// Where the candidates don't suffice, all of them go.
        case takesAllWhereThatIsTooLittle
        /// Nothing goes that isn't a candidate, and no candidate twice.
        case takesCandidatesOnce
        /// Nothing of a candidate is asked for that it doesn't have.
        case asksForNoMoreThanThereIs
        /// The same situation gets the same answer.
        case isRepeatable
        /// No candidate at all is no trouble.
        case copesWithoutCandidates
    }

    /// A rule was broken.
    public struct Violation: Error, CustomStringConvertible {
        /// The rule.
        public var rule: Rule
        /// The seed of the situation in which it was broken.
        public var seed: UInt64
        /// What was expected, and what the policy said.
        public var detail: String

        /// The rule, the seed and the detail in one line.
        public var description: String { "\(rule.rawValue), seed \(seed): \(detail)" }
    }

    private let policy: any EvictionPolicy
    private let seeds: Range<UInt64>

    /// Prepares the tests.
    ///
    /// - Parameters:
    ///   - policy: what is tested.
    ///   - seeds: of the random situations it's put in.
    public init(_ policy: any EvictionPolicy, seeds: Range<UInt64> = 0..<200) {
        self.policy = policy
        self.seeds = seeds
    }

    /// Puts the policy to one rule.
    ///
    /// - Throws: ``Violation``.
    public func check(_ rule: Rule) throws {
        for seed in seeds {
            let situation = situation(rule, seed: seed)
            if let detail = broken(rule, situation, policy.steps(for: situation)) {
                throw Violation(rule: rule, seed: seed, detail: detail)
            }
        }
    }

    private func situation(_ rule: Rule, seed: UInt64) -> EvictionSituation {
        var random = SituationRandom(state: seed)
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        let count = rule == .copesWithoutCandidates ? 0 : Int.random(in: 1...40, using: &random)
        let candidates = (0..<count).map { index in
            EvictionSituation.Candidate(
                id: Int64(index * 3 + 1), bytes: Int64.random(in: 1...(200 << 20), using: &random),
                lastUsed: now - Double.random(in: 0...1_000_000, using: &random))
        }
        let all = candidates.reduce(0) { $0 + $1.bytes }
        let used = all + Int64.random(in: 0...(1 << 30), using: &random)
        var limits = CacheLimits(minimumFreeBytes: 0)
        var free: Int64 = 1 << 40
        let over = Int64.random(in: 0...all, using: &random)
        switch rule {
        case .leavesWhatIsWithinTheLimits: limits.maximumBytes = used
        case .keepsTheFreeDiskReserve:
            free = 1 << 30
            limits.minimumFreeBytes = free + over
        case .keepsTheAgeLimit: limits.maximumAge = .seconds(Int.random(in: 1...1_000_000, using: &random))
        case .takesAllWhereThatIsTooLittle: limits.maximumBytes = used - all - 1
        default:
            limits.maximumBytes = used - over
            if Bool.random(using: &random) { limits.maximumAge = .seconds(500_000) }
        }
        return EvictionSituation(
            candidates: candidates, limits: limits, usedBytes: used, freeDiskBytes: free, now: now)
    }

    /// What is wrong with the answer, if anything.
    private func broken(_ rule: Rule, _ situation: EvictionSituation, _ steps: [EvictionStep]) -> String? {
        let freed = situation.bytesFreed(by: steps)
        let removed = Set(steps.compactMap { if case .remove(let id) = $0 { id } else { nil } })
        let candidates = Dictionary(uniqueKeysWithValues: situation.candidates.map { ($0.id, $0.bytes) })
        switch rule {
        case .leavesWhatIsWithinTheLimits, .copesWithoutCandidates:
            return steps.isEmpty ? nil : "nothing had to go, \(steps) went"
        case .keepsTheByteLimit, .keepsTheFreeDiskReserve:
            return freed >= situation.bytesOver ? nil : "\(situation.bytesOver) bytes had to go, \(freed) went"
        case .keepsTheAgeLimit:
            let old = situation.candidates.filter(situation.isTooOld).map(\.id)
            return old.allSatisfy(removed.contains) ? nil : "\(old) are too old, \(removed) went"
        case .takesAllWhereThatIsTooLittle:
            return removed == Set(candidates.keys) ? nil : "all had to go, \(removed) went"
        case .takesCandidatesOnce:
            let ids = steps.map(\.resourceID)
            return Set(ids).count == ids.count && ids.allSatisfy { candidates[$0] != nil } ? nil : "\(ids) went"
        case .asksForNoMoreThanThereIs:
            let wrong = steps.filter { step in
                guard case .shrink(let id, let bytes) = step else { return false }
                return bytes <= 0 || bytes > candidates[id, default: 0]
            }
            return wrong.isEmpty ? nil : "\(wrong) can't be"
        case .isRepeatable:
            return policy.steps(for: situation) == steps ? nil : "the second answer is another one"
        }
    }
}

extension EvictionStep {
    fileprivate var resourceID: Int64 {
        switch self {
        case .remove(let id), .shrink(let id, _): id
        }
    }
}

/// The same situations from the same seed, everywhere.
private struct SituationRandom: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
