import Foundation
import MediaCache
import MediaCacheAPI
import MediaCacheCurl
import MediaCacheServer
import MediaLibrary

/// The checks of `doctor`.
struct Doctor: Sendable {
    /// The settings of `serve`.
    var settings: HostSettings
    var report: @Sendable (DiagnosisFinding) async throws -> Void

    /// Checks the machine and the cache folder.
    func run() async throws {
        let owner = CacheStore.owner(of: settings.location)
        let folder = FolderChecks(location: settings.location, limits: settings.limits, owner: owner)
        guard let findings = try await TimeLimit.run(.seconds(30), { try await BlockingOperation.run { folder.run() } })
        else {
            return try await report(
                .failure("cache folder", "no response within 30 s", advice: "check its disk or network share"))
        }
        for finding in findings { try await report(finding) }
        if let owner { try await report(await version(of: owner)) }
        let port = PortCheck(host: settings.host, port: settings.port, owner: owner)
        for finding in try await BlockingOperation.run({ [port.run(), PortCheck.loopback()] }) {
            try await report(finding)
        }
        try await report(try await MachineChecks.clock())
        try await report(MachineChecks.openFiles())
        try await report(
            try await MachineChecks.program(
                "ffmpeg", without: "frames can't be decoded, and 3GP and other formats can't be encoded")
        )
    }

    /// Checks the playback of a URL.
    func diagnose(_ url: ResourceURL) async throws {
        let origin = try CurlOrigin(settings: settings.originSettings)
        var transfers = settings.storeConfiguration.transfers
        // The store of an exposed server contacts only public addresses.
        if settings.serverConfiguration.isExposed { transfers.scope = .publicOnly }
        let diagnosis = OriginDiagnosis(of: url, origin: origin, settings: transfers)
        do {
            try await diagnosis.run(report)
        } catch {
            await origin.shutdown()
            throw error
        }
        await origin.shutdown()
    }

    /// Checks that the folder's owner responds and has the same version.
    private func version(of owner: FolderOwner) async -> DiagnosisFinding {
        let name = "process \(owner.processID)"
        do {
            guard let connection = try await Connection.running(at: settings.location) else {
                return .ok("server", "\(name) has just ended")
            }
            let server = try await connection.client.server()
            guard server.version == CacheServer.version else {
                return .warning(
                    "server", "\(name) is version \(server.version), this command is \(CacheServer.version)",
                    advice: "restart the server")
            }
            return .ok("server", "\(name) responds at \(connection.client.address), version \(server.version)")
        } catch {
            return .failure(
                "server", CommandFailure(error)?.message ?? "\(error)",
                advice: "wait a moment; if it hangs, end it (kill \(owner.processID)) and restart it")
        }
    }
}
