import Foundation
import Logging
import MediaCache
import MediaCacheTesting
import Synchronization

/// A store in a separate folder with a scripted origin.
final class EngineFixture: Sendable {
    let folder: String
    let origin: ScriptedOrigin
    let time: ManualTime
    let files: any BlobFileSystem
    let url: ResourceURL

    /// - Parameter resource: The resource at ``url``.
    init(
        serving resource: ScriptedResource? = nil, origin: ScriptedOrigin? = nil, time: ManualTime = ManualTime(),
        files: any BlobFileSystem = POSIXFileSystem()
    ) throws {
        folder = FileManager.default.temporaryDirectory.path + "/mediacache-tests-" + UUID().uuidString
        self.time = time
        self.origin = origin ?? ScriptedOrigin(time: time)
        self.files = files
        url = try ResourceURL("http://origin.example/film.mp4")
        if let resource { self.origin[url] = resource }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Makes the next response wait at a gate: before its head, or at a position of the resource.
    func holdNext(at position: Int64? = nil) -> ScriptedGate {
        let gate = ScriptedGate()
        origin.next(url, position.map { ScriptedFault.holdBody(at: $0, gate) } ?? .holdHead(gate))
        return gate
    }

    /// Advances the clock repeatedly, by `step` each time, until `body` returns.
    func advancingClock<Result: Sendable>(
        by step: Duration = .milliseconds(100), _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let isOver = Mutex(false)
        let task = Task {
            defer { isOver.withLock { $0 = true } }
            return try await body()
        }
        while !isOver.withLock({ $0 }) {
            time.advance(by: step)
            await Task.yield()
        }
        return try await task.value
    }

    /// Opens the store. Later calls reopen the same folder.
    ///
    /// - Parameters:
    ///   - otherOrigin: The origin to use instead of ``origin``.
    ///   - otherTime: The clock to use instead of ``time``.
    ///   - other: The file system to use instead of ``files``.
    func open(
        origin otherOrigin: (any Origin)? = nil, time otherTime: (any TimeSource)? = nil,
        files other: (any BlobFileSystem)? = nil, _ change: (inout CacheConfiguration) -> Void = { _ in }
    ) async throws -> CacheStore {
        var configuration = CacheConfiguration(location: CacheLocation(folder: folder))
        configuration.limits.minimumFreeBytes = 0
        // Reports failures immediately, for tests that don't advance the clock.
        configuration.transfers.retries = RetryPolicy(budget: 0)
        change(&configuration)
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return try await CacheStore.open(
            configuration, origin: otherOrigin ?? origin, time: otherTime ?? time, files: other ?? files,
            logger: logger)
    }

    /// Closes a store, and opens its folder again.
    func reopen(_ store: CacheStore, withoutCatalog: Bool = false) async throws -> CacheStore {
        await store.close()
        if withoutCatalog { try FileManager.default.removeItem(atPath: folder + "/catalog.sqlite") }
        return try await open()
    }
}

extension CacheConfiguration {
    /// Sets time limits that don't expire while a test advances the clock much faster than real time.
    mutating func setLongLimits() {
        transfers.limits.firstByte = .seconds(1_000_000)
        transfers.limits.stall = .seconds(1_000_000)
        transfers.idleLimit = .seconds(1_000_000)
    }
}

extension CacheStore {
    /// Reads a range to its end.
    func bytes(_ url: ResourceURL, _ range: RequestedRange = .all) async throws -> [UInt8] {
        try await bytes(ReadRequest(url: url, range: range))
    }

    func bytes(_ request: ReadRequest) async throws -> [UInt8] {
        let session = try await read(request)
        defer { session.cancel() }
        return try await session.allBytes()
    }
}

extension ReadSession {
    func allBytes() async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await buffer in buffers { bytes += buffer }
        return bytes
    }
}

/// A counter of the calls of ``next()``, which returns 1 at first.
final class Counter: Sendable {
    private let count = Mutex(0)

    var value: Int { count.withLock { $0 } }

    @discardableResult
    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
