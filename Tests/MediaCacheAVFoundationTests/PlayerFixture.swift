import Foundation
import Logging
import MediaCache
import MediaCacheTesting

extension CacheStore {
    /// Waits until all read sessions have ended. Those of cancelled requests end asynchronously.
    func sessionsEnded() async throws {
        while statistics.openReads > 0 {
            try Task.checkCancellation()
            await Task.yield()
        }
    }
}

/// A temporary folder, a scripted origin and a manual clock, with which tests of players open a store.
final class PlayerFixture {
    let folder = FileManager.default.temporaryDirectory.path + "/mediacache-tests-" + UUID().uuidString
    let origin: ScriptedOrigin
    let time = ManualTime()

    init() { origin = ScriptedOrigin(time: time) }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    static func open(
        over other: (any Origin)? = nil, _ change: (inout CacheConfiguration) -> Void = { _ in }
    ) async throws -> (PlayerFixture, CacheStore) {
        let fixture = PlayerFixture()
        return (fixture, try await fixture.open(over: other, change))
    }

    func open(
        over other: (any Origin)? = nil, _ change: (inout CacheConfiguration) -> Void = { _ in }
    ) async throws -> CacheStore {
        var configuration = CacheConfiguration(location: CacheLocation(folder: folder))
        configuration.limits.minimumFreeBytes = 0
        // Reports failures immediately, because most tests don't advance the clock.
        configuration.transfers.retries = RetryPolicy(budget: 0)
        change(&configuration)
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return try await CacheStore.open(
            configuration, origin: other ?? origin, time: time, files: POSIXFileSystem(), logger: logger)
    }

    func serve(
        _ body: ScriptedBody, at name: String = "film.mp4", _ change: (inout ScriptedResource) -> Void = { _ in }
    ) throws -> ResourceURL {
        let url = try ResourceURL("https://origin.example/\(name)")
        var resource = ScriptedResource(body)
        change(&resource)
        origin[url] = resource
        return url
    }

    func player(
        of body: ScriptedBody, in store: CacheStore, _ change: (inout ScriptedResource) -> Void = { _ in }
    ) throws -> ScriptedPlayer {
        ScriptedPlayer(of: body, at: try serve(body, change), origin: origin, store: store)
    }
}
