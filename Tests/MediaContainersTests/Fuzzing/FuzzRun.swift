import Foundation
import Testing

/// Gives seeds to a fuzzer, one after the other, and watches the time that each takes, and the memory.
struct FuzzRun {
    /// What an input may take. A hundred times what the slowest of a million took in a release build.
    private static let longest = Duration.seconds(10)
    /// What the process may have resident at most.
    private static let mostMemory = 256 << 20

    private let name: String

    /// A run of a fuzzer, called by what it damages.
    init(of name: String) { self.name = name }

    /// Calls `body` with each seed. An input that doesn't end is named, and ends the process.
    ///
    /// Other tests, some of which wait for a moment of real time, go on between the seeds.
    func run(_ body: (UInt64) -> Void) async {
        let (count, first) = (FuzzSettings.count, FuzzSettings.firstSeed)
        print("Fuzzing \(count) \(name); MEDIACACHE_FUZZ_SEED=\(first)")
        let watch = HangWatch(name, longest: 60)
        let clock = ContinuousClock()
        var slowest = (time: Duration.zero, seed: first)
        for seed in first..<first + UInt64(count) {
            watch.begin(seed)
            let time = clock.measure { body(seed) }
            if time > slowest.time { slowest = (time, seed) }
            watch.rest()
            await Task.yield()
        }
        let peak = Self.peakMemory
        let memory = peak.map { ", at most \($0 >> 20) MiB were resident" } ?? ""
        print("\(count) \(name): the slowest, seed \(slowest.seed), took \(slowest.time)\(memory)")
        #expect(slowest.time < Self.longest, "seed \(slowest.seed)")
        // Otherwise the process runs tests that hold whole files.
        if FuzzSettings.isSoak, let peak { #expect(peak < Self.mostMemory) }
    }

    /// The most that the process ever had resident, in bytes (`VmHWM`); nil where the system doesn't tell it so.
    private static var peakMemory: Int? {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }.map { $0 << 10 }
    }
}
