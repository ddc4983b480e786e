import TestSupport

extension SeededGenerator {
    /// Returns a generator seeded with `MEDIACACHE_SEED` or at random. The seed is printed so that a failure can be
    /// reproduced.
    static func forTest(_ name: String) -> SeededGenerator {
        let given = TestSettings.variable("MEDIACACHE_SEED").flatMap(UInt64.init)
        let seed = given ?? UInt64.random(in: 0...UInt64(UInt32.max))
        print("\(name): MEDIACACHE_SEED=\(seed)")
        return SeededGenerator(seed: seed)
    }
}
