import MediaCache
import Synchronization

@testable import MediaLibrary

/// An in-memory store of a recording's files and parts, which counts operations and fails on request.
final class TimelineMemoryStore: RecordingStore {
    struct Counts: Sendable, Hashable {
        var reads = 0
        var writes = 0
        var removals = 0
        var bytesRead = 0
        var bytesWritten = 0
    }

    /// A crash at a change, counted from 0. The change itself is made or not, and all later ones fail.
    struct Crash: Sendable {
        var change: Int
        var isMade: Bool
    }

    struct State: Sendable {
        var files: [String: [UInt8]] = [:]
        var parts: Set<String> = []
        var counts = Counts()
        var changes = 0
        var crash: Crash?
        var failing: (@Sendable (String) -> Bool)?
        var freeBytes: Int64 = .max
        /// The result of every fetch; nil if fetches fail.
        var media: FetchedPart?
        /// A callback that runs during the next read of files.
        var reading: (@Sendable () async -> Void)?
    }

    let state: Mutex<State>

    init(_ state: State = State()) { self.state = Mutex(state) }

    /// Returns a store with the same files and parts, as another process would see it.
    func reopened() -> TimelineMemoryStore {
        let (files, parts) = state.withLock { ($0.files, $0.parts) }
        return TimelineMemoryStore(State(files: files, parts: parts))
    }

    var files: [String: [UInt8]] { state.withLock { $0.files } }
    var parts: Set<String> { state.withLock { $0.parts } }
    var changes: Int { state.withLock { $0.changes } }

    func counting(_ body: () async throws -> Void) async rethrows -> Counts {
        state.withLock { $0.counts = Counts() }
        try await body()
        return state.withLock { $0.counts }
    }

    func damage(_ name: String, _ body: @Sendable (inout [UInt8]) -> Void) {
        state.withLock { state in
            guard var bytes = state.files[name] else { return }
            body(&bytes)
            state.files[name] = bytes
        }
    }

    /// Makes reads and changes of matching files, and removals of matching parts, fail until set to nil. Measurements
    /// of the free space have the name "free space".
    func fail(_ names: (@Sendable (String) -> Bool)?) { state.withLock { $0.failing = names } }

    func crash(_ crash: Crash?) {
        state.withLock {
            $0.changes = 0
            $0.crash = crash
        }
    }

    private func change(_ name: String, _ body: (inout State) -> Void) throws {
        try state.withLock { state in
            defer { state.changes += 1 }
            if state.failing?(name) == true { throw CacheError(.storage, "\(name) fails") }
            if let crash = state.crash, state.changes >= crash.change {
                if state.changes == crash.change, crash.isMade { body(&state) }
                throw CacheError(.storage, "crashed at \(name)")
            }
            body(&state)
        }
    }

    // MARK: - RecordingStore

    func files(of recording: RecordingID) async throws -> [String] { files.keys.sorted() }

    func read(_ names: [String], of recording: RecordingID) async throws -> [[UInt8]?] {
        let reading = state.withLock { state in
            defer { state.reading = nil }
            return state.reading
        }
        await reading?()
        return try state.withLock { state in
            try names.map { name in
                if state.failing?(name) == true { throw CacheError(.storage, "\(name) fails") }
                state.counts.reads += 1
                state.counts.bytesRead += state.files[name]?.count ?? 0
                return state.files[name]
            }
        }
    }

    func write(_ bytes: [UInt8], as name: String, of recording: RecordingID) async throws {
        try change(name) { state in
            state.counts.writes += 1
            state.counts.bytesWritten += bytes.count
            state.files[name] = bytes
        }
    }

    func removeFiles(_ names: [String], of recording: RecordingID) async throws {
        for name in names {
            try change(name) { state in
                state.counts.removals += 1
                state.files[name] = nil
            }
        }
    }

    func fetch(
        _ part: AssetPart, settings: TransferSettings, group: TransferGroup
    ) async throws -> FetchedPart {
        guard let media = state.withLock({ $0.media }) else {
            throw CacheError(.unreachable, "fetches fail in this store")
        }
        return media
    }

    func receivedBytes(of part: AssetPart) async -> Int64 { 0 }

    func commit() async throws {}

    func removeParts(_ names: [String]) async throws {
        if let failing = state.withLock({ $0.failing }), let name = names.first(where: failing) {
            throw CacheError(.storage, "\(name) fails")
        }
        // Removes in two steps, so that a crash may happen in between.
        for half in [names.prefix(names.count / 2), names.dropFirst(names.count / 2)] where !half.isEmpty {
            try change("parts") { $0.parts.subtract(half) }
        }
    }

    func removeAllParts(of recording: RecordingID) async throws { state.withLock { $0.parts = [] } }

    func freeBytes() async throws -> Int64 {
        try state.withLock { state in
            if state.failing?("free space") == true { throw CacheError(.storage, "the free space can't be measured") }
            return state.freeBytes
        }
    }
}
