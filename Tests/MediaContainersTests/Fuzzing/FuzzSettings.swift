import Foundation

/// How many inputs the fuzzers make, and from which seed on.
enum FuzzSettings {
    private static let environment = ProcessInfo.processInfo.environment

    /// The full count with `MEDIACACHE_SOAK=1`, another with `MEDIACACHE_FUZZ_COUNT`.
    static let count: Int = {
        if let count = environment["MEDIACACHE_FUZZ_COUNT"].flatMap(Int.init) { return count }
        return environment["MEDIACACHE_SOAK"] == "1" ? 2_500_000 : 10_000
    }()

    /// The first seed; `MEDIACACHE_FUZZ_SEED` names another.
    static let firstSeed = environment["MEDIACACHE_FUZZ_SEED"].flatMap(UInt64.init) ?? 1
}
