import Dispatch
import Foundation
import Synchronization
import Testing

/// A fuzzer run over consecutive seeds, which measures the time for each input and the peak memory.
struct FuzzRun {
    /// The time limit for an input.
    private static let longest = Duration.seconds(10)
    /// The limit of resident memory in bytes, which applies to soak runs.
    private static let maximumMemory = 256 << 20

    /// A plural noun for the inputs, used in messages.
    private let name: String

    init(of name: String) { self.name = name }

    /// Calls `body` with each seed. Records an issue if an input exceeds the time limit or, in a soak run, if the
    /// memory limit is exceeded. If an input takes more than a minute, prints its seed and ends the process.
    ///
    /// Yields between seeds, because other tests wait for short periods of real time.
    func run(_ body: (UInt64) -> Void) async {
        let (count, first) = (FuzzSettings.count, FuzzSettings.firstSeed)
        print("Fuzzing \(count) \(name); MEDIACACHE_FUZZ_SEED=\(first)")
        let watch = HangWatchdog(name, longest: 60)
        let clock = ContinuousClock()
        var slowest = (time: Duration.zero, seed: first)
        for seed in first..<first + UInt64(count) {
            watch.begin(seed)
            let time = clock.measure { body(seed) }
            if time > slowest.time { slowest = (time, seed) }
            watch.end()
            await Task.yield()
        }
        let peak = Self.peakMemory
        let memory = peak.map { ", peak resident memory \($0 >> 20) MiB" } ?? ""
        print("\(count) \(name): slowest seed \(slowest.seed) in \(slowest.time)\(memory)")
        #expect(slowest.time < Self.longest, "seed \(slowest.seed)")
        // Without MEDIACACHE_SOAK the process also runs tests that load whole files.
        if FuzzSettings.isSoak, let peak { #expect(peak < Self.maximumMemory) }
    }

    /// The peak resident memory of the process in bytes (`VmHWM`), or nil if the system doesn't provide it.
    private static var peakMemory: Int? {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }.map { $0 << 10 }
    }
}

/// The number of fuzzer inputs, and the first seed.
enum FuzzSettings {
    private static let environment = ProcessInfo.processInfo.environment

    private static let fuzzers = 3

    /// The number of inputs per fuzzer, 2,000 by default. `MEDIACACHE_SOAK=1` selects five million in total;
    /// `MEDIACACHE_FUZZ_COUNT` sets a number for each fuzzer.
    static let count: Int = {
        if let count = environment["MEDIACACHE_FUZZ_COUNT"].flatMap(Int.init) { return count }
        return isSoak ? (5_000_000 + fuzzers - 1) / fuzzers : 2_000
    }()

    /// The first seed, set by `MEDIACACHE_FUZZ_SEED`. 1 by default.
    static let firstSeed = environment["MEDIACACHE_FUZZ_SEED"].flatMap(UInt64.init) ?? 1

    /// Whether the process runs only the fuzzers, with full counts (`make soak`).
    static let isSoak = environment["MEDIACACHE_SOAK"] == "1"
}

/// A watchdog that ends the process when an input exceeds its time limit, because an endless loop can't be interrupted.
final class HangWatchdog {
    /// The current input and the number of timer events since it began.
    private final class Current: Sendable {
        /// The seed is nil while no input is being processed.
        private let state = Mutex((seed: UInt64?.none, events: 0))

        func begin(_ seed: UInt64?) { state.withLock { $0 = (seed, 0) } }

        /// Counts a timer event. Returns the seed if there were more than `limit` events during the input.
        func countEvent(_ limit: Int) -> UInt64? {
            state.withLock { state in
                state.events += 1
                return state.events > limit ? state.seed : nil
            }
        }
    }

    private static let interval = 5

    private let current = Current()
    private let timer = DispatchSource.makeTimerSource(queue: .global())

    /// Starts the watchdog. `longest` is the time limit for each input in seconds.
    init(_ name: String, longest: Int) {
        let limit = longest / Self.interval
        timer.schedule(deadline: .now(), repeating: .seconds(Self.interval))
        timer.setEventHandler { [current] in
            guard let late = current.countEvent(limit) else { return }
            fatalError("\(name): seed \(late) doesn't end")
        }
        timer.resume()
    }

    deinit { timer.cancel() }

    func begin(_ seed: UInt64) { current.begin(seed) }

    func end() { current.begin(nil) }
}
