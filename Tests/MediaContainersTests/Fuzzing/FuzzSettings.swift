import Foundation

/// How many inputs the fuzzers make, and from which seed on.
enum FuzzSettings {
    private static let environment = ProcessInfo.processInfo.environment

    /// The fuzzers that share the count.
    private static let fuzzers = 3

    /// The inputs of each fuzzer: five million in all with `MEDIACACHE_SOAK=1`, another number for each with
    /// `MEDIACACHE_FUZZ_COUNT`.
    static let count: Int = {
        if let count = environment["MEDIACACHE_FUZZ_COUNT"].flatMap(Int.init) { return count }
        return isSoak ? (5_000_000 + fuzzers - 1) / fuzzers : 10_000
    }()

    /// The first seed; `MEDIACACHE_FUZZ_SEED` names another.
    static let firstSeed = environment["MEDIACACHE_FUZZ_SEED"].flatMap(UInt64.init) ?? 1

    /// Whether the counts are the full ones, and the fuzzers have the process to themselves (`make soak`).
    static let isSoak = environment["MEDIACACHE_SOAK"] == "1"
}
