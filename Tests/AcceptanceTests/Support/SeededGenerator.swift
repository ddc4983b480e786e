/// SplitMix64: random numbers that a seed repeats.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}

extension SeededGenerator {
    /// The seed of this run: `MEDIACACHE_SEED`, else drawn; printed, so that a failure can be repeated.
    static func forTest(_ name: String) -> SeededGenerator {
        let given = TestSettings.variable("MEDIACACHE_SEED").flatMap(UInt64.init)
        let seed = given ?? UInt64.random(in: 0...UInt64(UInt32.max))
        print("\(name): MEDIACACHE_SEED=\(seed)")
        return SeededGenerator(seed: seed)
    }
}
