import Dispatch
import Foundation
import Synchronization
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

/// Ends the process where an input takes longer than it may, since nothing else ends a loop.
final class HangWatch {
    /// The input at work, and how often the timer has seen it.
    private final class Current: Sendable {
        /// No seed while none is at work.
        private let state = Mutex((seed: UInt64?.none, sightings: 0))

        func begin(_ seed: UInt64?) { state.withLock { $0 = (seed, 0) } }

        /// The input, if it was seen more than so often.
        func see(_ most: Int) -> UInt64? {
            state.withLock { state in
                state.sightings += 1
                return state.sightings > most ? state.seed : nil
            }
        }
    }

    private static let interval = 5

    private let current = Current()
    private let timer = DispatchSource.makeTimerSource(queue: .global())

    /// Watches the inputs of a fuzzer.
    ///
    /// - Parameters:
    ///   - name: what it damages.
    ///   - longest: what one may take, in seconds.
    init(_ name: String, longest: Int) {
        let most = longest / Self.interval
        timer.schedule(deadline: .now(), repeating: .seconds(Self.interval))
        timer.setEventHandler { [current] in
            guard let late = current.see(most) else { return }
            fatalError("\(name): seed \(late) doesn't end")
        }
        timer.resume()
    }

    deinit { timer.cancel() }

    /// An input begins.
    func begin(_ seed: UInt64) { current.begin(seed) }

    /// It has ended.
    func rest() { current.begin(nil) }
}
