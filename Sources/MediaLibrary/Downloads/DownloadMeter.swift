internal import MediaCache
import Synchronization

/// A counter of the parts and bytes of one download.
final class DownloadMeter: Sendable {
    /// The progress of one media playlist, which is measured separately because bit rates differ.
    private struct Track {
        var bytes: Int64 = 0
        var doneSeconds = 0.0
        var totalSeconds = 0.0
    }

    private struct State {
        var contents = AssetContents(parts: [])
        var bytesOfParts: [Int64] = []
        var isDone: [Bool] = []
        /// The parts being fetched, by cache key, with the bytes that were cached before.
        var running: [String: (part: Int, cached: Int64)] = [:]
        var bytes: Int64 = 0
        var done = 0
        /// The media playlists, the playlist index of each part, and the playlist index of each folder of parts.
        var tracks: [Track] = []
        var tracksOfParts: [Int] = []
        var tracksOfFolders: [Substring: Int] = [:]
        var fileLength: Int64?
        var coverage: Recording.Coverage?
        /// The index of the first incomplete part.
        var frontier = 0
        var samples: [(at: Duration, bytes: Int64)] = []
    }

    private let state = Mutex(State())

    /// Starts counting the given contents, with the bytes already cached and the parts already complete.
    func begin(_ contents: AssetContents, cached: [Int64], isDone: [Bool]) {
        state.withLock { state in
            state = State()
            state.contents = contents
            Self.assignTracks(to: contents.parts, &state)
            state.bytesOfParts = Array(repeating: 0, count: cached.count)
            state.isDone = isDone
            for index in cached.indices { Self.set(cached[index], of: index, &state) }
            for index in isDone.indices where isDone[index] {
                state.done += 1
                state.tracks[state.tracksOfParts[index]].doneSeconds += contents.parts[index].duration
            }
            Self.advance(&state)
        }
    }

    /// Updates the coverage of a live stream's recording, which determines the progress until the parts are known.
    func note(_ coverage: Recording.Coverage, now: Duration) {
        state.withLock { state in
            state.coverage = coverage
            state.bytes = coverage.bytes
            Self.sample(&state, now)
        }
    }

    func started(_ part: Int, key: String) { state.withLock { $0.running[key] = (part, $0.bytesOfParts[part]) } }

    /// Updates the cached bytes of a resource, and returns whether it's a part that is being fetched.
    func note(key: String, bytesCached: Int64, length: Int64?, now: Duration) -> Bool {
        state.withLock { state in
            guard let running = state.running[key] else { return false }
            // Several ranges may share the resource, so only complete ranges count.
            guard state.contents.parts[running.part].range == nil else { return true }
            Self.set(bytesCached, of: running.part, &state)
            if state.contents.parts.count == 1 { state.fileLength = length }
            Self.sample(&state, now)
            return true
        }
    }

    func finished(_ part: Int, key: String, bytes: Int64, now: Duration) {
        state.withLock { state in
            state.running[key] = nil
            Self.set(bytes, of: part, &state)
            guard !state.isDone[part] else { return }
            state.isDone[part] = true
            state.done += 1
            state.tracks[state.tracksOfParts[part]].doneSeconds += state.contents.parts[part].duration
            if state.contents.parts.count == 1 { state.fileLength = bytes }
            Self.sample(&state, now)
            Self.advance(&state)
        }
    }

    /// Whether all parts at the beginning are complete: the first segment of each playlist, and what it needs.
    var hasBeginning: Bool {
        state.withLock { state in
            if let coverage = state.coverage { return coverage.seconds > 0 }
            guard !state.isDone.isEmpty else { return false }
            return state.frontier == state.isDone.count || state.contents.parts[state.frontier].start > 0
        }
    }

    func isEmpty(_ part: Int) -> Bool { state.withLock { $0.bytesOfParts[part] == 0 } }

    func released(key: String) { state.withLock { $0.running[key] = nil } }

    /// Notes that the cached bytes of a part were removed, so that it's no longer complete.
    func removed(_ part: Int) {
        state.withLock { state in
            Self.set(0, of: part, &state)
            guard state.isDone[part] else { return }
            state.isDone[part] = false
            state.done -= 1
            state.tracks[state.tracksOfParts[part]].doneSeconds -= state.contents.parts[part].duration
            state.frontier = min(state.frontier, part)
            state.fileLength = nil
        }
    }

    /// The number of values in memory, for tests of long downloads.
    var valueCount: Int {
        state.withLock { state in
            state.contents.parts.count + state.bytesOfParts.count + state.isDone.count + state.running.count
                + state.tracks.count + state.tracksOfParts.count + state.tracksOfFolders.count + state.samples.count
        }
    }

    func progress(now: Duration) -> DownloadProgress {
        state.withLock { state in
            if let coverage = state.coverage {
                return DownloadProgress(
                    bytes: coverage.bytes, length: nil, isLengthExact: false,
                    parts: Download.Parts(done: coverage.segments, total: coverage.observedSegments),
                    rate: Self.rate(state, now), secondsReady: coverage.seconds)
            }
            let total = state.contents.parts.count
            let isComplete = total > 0 && state.done == total
            return DownloadProgress(
                bytes: state.bytes, length: isComplete ? state.bytes : Self.estimate(state),
                isLengthExact: isComplete || state.fileLength != nil,
                parts: Download.Parts(done: state.done, total: total), rate: Self.rate(state, now),
                secondsReady: Self.secondsReady(state))
        }
    }

    private static func assignTracks(to parts: [AssetPart], _ state: inout State) {
        for part in parts {
            let folder = part.name.prefix { $0 != "/" }
            let track = state.tracksOfFolders[folder] ?? state.tracks.count
            if track == state.tracks.count {
                state.tracksOfFolders[folder] = track
                state.tracks.append(Track())
            }
            state.tracks[track].totalSeconds += part.duration
            state.tracksOfParts.append(track)
        }
    }

    private static func set(_ bytes: Int64, of part: Int, _ state: inout State) {
        let more = bytes &- state.bytesOfParts[part]
        state.bytes &+= more
        state.tracks[state.tracksOfParts[part]].bytes &+= more
        state.bytesOfParts[part] = bytes
    }

    private static func advance(_ state: inout State) {
        while state.frontier < state.isDone.count, state.isDone[state.frontier] { state.frontier += 1 }
    }

    /// Returns the start of the first missing part. Parts are ordered by time, so all media before it can be played.
    private static func secondsReady(_ state: State) -> Double {
        guard state.frontier < state.contents.parts.count else { return state.contents.duration }
        return state.contents.parts[state.frontier].start
    }

    private static func estimate(_ state: State) -> Int64? {
        if let length = state.fileLength { return length }
        // A few segments predict the length better than BANDWIDTH, which is a peak bit rate. The estimate needs
        // complete segments of each playlist.
        let timed = state.tracks.filter { $0.totalSeconds > 0 }
        guard state.done >= 3, !timed.isEmpty, timed.allSatisfy({ $0.doneSeconds > 0 }) else {
            return state.contents.estimatedLength.map { max($0, state.bytes) }
        }
        let length = timed.reduce(0) { $0 + Double($1.bytes) / $1.doneSeconds * $1.totalSeconds }
        return max(state.bytes, Int64(min(length, 1e18)))
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
