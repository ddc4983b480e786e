import Foundation
public import MediaCache

/// Contract tests for any `EvictionPolicy`.
///
/// ```swift
/// @Test(arguments: EvictionPolicyContract.Rule.allCases)
/// func fulfillsContract(_ rule: EvictionPolicyContract.Rule) throws {
///     try EvictionPolicyContract(MyPolicy()).check(rule)
/// }
/// ```
public struct EvictionPolicyContract: Sendable {
    /// A rule of the contract.
    public enum Rule: String, Sendable, CaseIterable {
        /// Nothing is evicted within the limits.
        case evictsNothingWithinLimits
        /// Enough bytes for the byte limit are evicted if the candidates suffice.
        case appliesByteLimit
        /// Enough bytes for the free-disk limit are evicted if the candidates suffice.
        case appliesFreeDiskLimit
        /// Candidates beyond the age limit are removed.
        case appliesAgeLimit
        /// All candidates are removed if they don't suffice.
        case evictsAllCandidatesIfInsufficient
        /// Only candidates are evicted, each at most once.
        case usesEachCandidateOnce
        /// A candidate is shrunk by at least one byte, and by no more bytes than it has.
        case shrinksWithinCandidateSize
        /// Equal situations produce equal results.
        case isDeterministic
        /// Nothing is evicted without candidates.
        case acceptsNoCandidates
    }

    /// The violation of a rule.
    public struct Violation: Error, CustomStringConvertible {
        /// The rule.
        public var rule: Rule
        /// The seed of the situation that revealed the violation.
        public var seed: UInt64
        /// The expected and the actual result.
        public var detail: String

        /// All properties in one line.
        public var description: String { "\(rule.rawValue), seed \(seed): \(detail)" }
    }

    private let policy: any EvictionPolicy
    private let seeds: Range<UInt64>

    /// Creates tests for a policy in random situations, one for each seed.
    public init(_ policy: any EvictionPolicy, seeds: Range<UInt64> = 0..<200) {
        self.policy = policy
        self.seeds = seeds
    }

    /// Tests a rule. Throws ``Violation``.
    public func check(_ rule: Rule) throws {
        for seed in seeds {
            let situation = situation(rule, seed: seed)
            if let detail = violation(rule, situation, policy.steps(for: situation)) {
                throw Violation(rule: rule, seed: seed, detail: detail)
            }
        }
    }

    private func situation(_ rule: Rule, seed: UInt64) -> EvictionSituation {
        var random = SituationRandom(state: seed)
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        let count = rule == .acceptsNoCandidates ? 0 : Int.random(in: 1...40, using: &random)
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
        case .evictsNothingWithinLimits: limits.maximumBytes = used
        case .appliesFreeDiskLimit:
            free = 1 << 30
            limits.minimumFreeBytes = free + over
        case .appliesAgeLimit: limits.maximumAge = .seconds(Int.random(in: 1...1_000_000, using: &random))
        case .evictsAllCandidatesIfInsufficient: limits.maximumBytes = used - all - 1
        default:
            limits.maximumBytes = used - over
            if Bool.random(using: &random) { limits.maximumAge = .seconds(500_000) }
        }
        return EvictionSituation(
            candidates: candidates, limits: limits, usedBytes: used, freeDiskBytes: free, now: now)
    }

    private func violation(_ rule: Rule, _ situation: EvictionSituation, _ steps: [EvictionStep]) -> String? {
        let freed = situation.bytesFreed(by: steps)
        let removed = Set(steps.compactMap { if case .remove(let id) = $0 { id } else { nil } })
        let candidates = Dictionary(uniqueKeysWithValues: situation.candidates.map { ($0.id, $0.bytes) })
        switch rule {
        case .evictsNothingWithinLimits, .acceptsNoCandidates:
            return steps.isEmpty ? nil : "expected no evictions, got \(steps)"
        case .appliesByteLimit, .appliesFreeDiskLimit:
            return freed >= situation.bytesOver ? nil : "expected \(situation.bytesOver) bytes freed, got \(freed)"
        case .appliesAgeLimit:
            let old = situation.candidates.filter(situation.isTooOld).map(\.id)
            return old.allSatisfy(removed.contains) ? nil : "expected \(old) removed as too old, got \(removed)"
        case .evictsAllCandidatesIfInsufficient:
            return removed == Set(candidates.keys) ? nil : "expected all candidates removed, got \(removed)"
        case .usesEachCandidateOnce:
            let ids = steps.map(\.resourceID)
            return Set(ids).count == ids.count && ids.allSatisfy { candidates[$0] != nil }
                ? nil : "expected distinct candidates, got \(ids)"
        case .shrinksWithinCandidateSize:
            let wrong = steps.filter { step in
                guard case .shrink(let id, let bytes) = step else { return false }
                return bytes <= 0 || bytes > candidates[id, default: 0]
            }
            return wrong.isEmpty ? nil : "\(wrong) aren't within the candidates' sizes"
        case .isDeterministic:
            return policy.steps(for: situation) == steps ? nil : "a second call returned different steps"
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

/// A seeded generator (SplitMix64).
private struct SituationRandom: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        defer { state &+= 0x9E37_79B9_7F4A_7C15 }
        return ScriptedBody.mix(state)
    }
}
