internal import MediaCache
import Synchronization

/// Counts what comes of one asset while it's downloaded.
final class DownloadMeter: Sendable {
    private struct State {
        var contents = AssetContents(parts: [])
        /// Bytes of each part that is here.
        var bytesOfParts: [Int64] = []
        var isDone: [Bool] = []
        /// By cache key: which part is being fetched, what was kept of it before, and what is now.
        var running: [String: (part: Int, kept: Int64)] = [:]
        var bytes: Int64 = 0
        var done = 0
        var doneSeconds = 0.0
        var totalSeconds = 0.0
        var fileLength: Int64?
        /// The first part in order that isn't here.
        var frontier = 0
        var samples: [(at: Duration, bytes: Int64)] = []
    }

    private let state = Mutex(State())

    /// What is to be counted, and what of it is here.
    func begin(_ contents: AssetContents, kept: [Int64], isDone: [Bool]) {
        state.withLock { state in
            state = State()
            state.contents = contents
            state.totalSeconds = contents.parts.reduce(0) { $0 + $1.duration }
            state.bytesOfParts = kept
            state.isDone = isDone
            state.bytes = kept.reduce(0, &+)
            for index in isDone.indices where isDone[index] {
                state.done += 1
                state.doneSeconds += contents.parts[index].duration
            }
            Self.advance(&state)
        }
    }

    /// Parts have come to the others.
    func extend(_ contents: AssetContents) {
        state.withLock { state in
            let more = contents.parts.count - state.contents.parts.count
            state.contents = contents
            state.totalSeconds = contents.parts.reduce(0) { $0 + $1.duration }
            guard more > 0 else { return }
            state.bytesOfParts += Array(repeating: 0, count: more)
            state.isDone += Array(repeating: false, count: more)
        }
    }

    /// A part is about to be fetched, under a cache key.
    func started(_ part: Int, key: String) {
        state.withLock { $0.running[key] = (part, $0.bytesOfParts[part]) }
    }

    /// The engine told how much is kept under a key. Returns whether that is one of this asset's running parts.
    func note(key: String, kept: Int64, length: Int64?, now: Duration) -> Bool {
        state.withLock { state in
            guard let running = state.running[key] else { return false }
            // Several ranges of one resource: only whole parts count.
            guard state.contents.parts[running.part].range == nil else { return true }
            Self.set(kept, of: running.part, &state)
            if state.contents.parts.count == 1 { state.fileLength = length }
            Self.sample(&state, now)
            return true
        }
    }

    /// A part is here, all of it.
    func finished(_ part: Int, key: String, bytes: Int64, now: Duration) {
        state.withLock { state in
            state.running[key] = nil
            Self.set(bytes, of: part, &state)
            guard !state.isDone[part] else { return }
            state.isDone[part] = true
            state.done += 1
            state.doneSeconds += state.contents.parts[part].duration
            if state.contents.parts.count == 1 { state.fileLength = bytes }
            Self.sample(&state, now)
            Self.advance(&state)
        }
    }

    /// Whether nothing of a part is here.
    func isEmpty(_ part: Int) -> Bool { state.withLock { $0.bytesOfParts[part] == 0 } }

    /// A part isn't being fetched any more.
    func left(_ part: Int, key: String) {
        state.withLock { _ = $0.running.removeValue(forKey: key) }
    }

    /// What came of a part turned out to be something else, and is gone.
    func lost(_ part: Int) {
        state.withLock { Self.set(0, of: part, &$0) }
    }

    /// How far it is.
    func progress(now: Duration) -> DownloadProgress {
        state.withLock { state in
            let total = state.contents.parts.count
            let isComplete = total > 0 && state.done == total
            return DownloadProgress(
                bytes: state.bytes, length: isComplete ? state.bytes : Self.estimate(state),
                isLengthKnown: isComplete || state.fileLength != nil,
                parts: Download.Parts(done: state.done, total: total), rate: Self.rate(state, now),
                secondsReady: Self.secondsReady(state))
        }
    }

    private static func set(_ bytes: Int64, of part: Int, _ state: inout State) {
        state.bytes &+= bytes &- state.bytesOfParts[part]
        state.bytesOfParts[part] = bytes
    }

    private static func advance(_ state: inout State) {
        while state.frontier < state.isDone.count, state.isDone[state.frontier] { state.frontier += 1 }
    }

    /// Parts lie in the order of their times, keys and sections first: the first that isn't here ends what plays.
    private static func secondsReady(_ state: State) -> Double {
        guard state.frontier < state.contents.parts.count else { return state.contents.duration }
        return state.contents.parts[state.frontier].start
    }

    private static func estimate(_ state: State) -> Int64? {
        if let length = state.fileLength { return length }
        // A few segments tell more than a playlist's BANDWIDTH, which is a peak.
        guard state.doneSeconds > 0, state.totalSeconds > 0, state.done >= 3 else {
            return state.contents.estimatedLength
        }
        return max(state.bytes, Int64(min(Double(state.bytes) / state.doneSeconds * state.totalSeconds, 1e18)))
    }

    private static func sample(_ state: inout State, _ now: Duration) {
        if let last = state.samples.last, now - last.at < .milliseconds(100) {
            state.samples[state.samples.count - 1].bytes = state.bytes
        } else {
            state.samples.append((now, state.bytes))
        }
        state.samples.removeAll { now - $0.at > .seconds(5) }
    }

    private static func rate(_ state: State, _ now: Duration) -> Double {
        guard let first = state.samples.first, now - first.at < .seconds(6) else { return 0 }
        let seconds = max((now - first.at).seconds, 0.1)
        return max(0, Double(state.bytes - first.bytes) / seconds)
    }
}
