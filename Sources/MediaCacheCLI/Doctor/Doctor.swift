import Foundation
import MediaCache
import MediaCacheAPI
import MediaCacheServer
import MediaLibrary

/// All checks of `doctor`, one after the other, each told as soon as it's done.
struct Doctor: Sendable {
    /// What `serve` would go by.
    var settings: HostSettings
    /// The URL to look at; nil for none.
    var url: ResourceURL?
    /// Gets each finding.
    var tell: @Sendable (Finding) async throws -> Void

    /// Does all of them.
    func run() async throws {
        let owner = CacheStore.owner(of: settings.location)
        let folder = FolderChecks(location: settings.location, limits: settings.limits, owner: owner)
        guard let findings = try await TimeLimit.run(.seconds(30), { try await BlockingWork.run { folder.run() } })
        else {
            return try await tell(
                .failure("cache folder", "it didn't answer within 30 s", advice: "its disk or network share hangs"))
        }
        for finding in findings { try await tell(finding) }
        if let owner { try await tell(await version(of: owner)) }
        let port = PortCheck(host: settings.host, port: settings.port, owner: owner)
        for finding in try await BlockingWork.run({ [port.run(), PortCheck.loopback()] }) { try await tell(finding) }
        try await tell(try await MachineChecks.clock())
        try await tell(MachineChecks.openFiles())
        try await tell(
            try await MachineChecks.program("ffmpeg", without: "no pictures out of films, no 3GP, nothing encoded anew")
        )
        try await tell(
            try await MachineChecks.program("ffprobe", without: "nothing here needs it; it helps to look at files"))
        if let url { try await look(at: url) }
    }

    private func look(at url: ResourceURL) async throws {
        let origin = try AsyncHTTPClientOrigin(settings: settings.originSettings)
        let probe = OriginProbe(origin: origin, settings: settings.storeConfiguration.transfers)
        do {
            try await URLChecks(url: url, probe: probe, tell: tell).run()
        } catch {
            await origin.shutdown()
            throw error
        }
        await origin.shutdown()
    }

    /// Whether the folder's owner answers, and is of our version.
    private func version(of owner: FolderOwner) async -> Finding {
        let who = "process \(owner.processID)"
        do {
            guard let connection = try await Connection.running(at: settings.location) else {
                return .ok("server", "\(who) has just ended")
            }
            let server: ServerInfo
            do {
                server = try await connection.client.server()
            } catch {
                await connection.close()
                throw error
            }
            await connection.close()
            guard server.version == CacheServer.version else {
                return .warning(
                    "server", "\(who) is version \(server.version), this is \(CacheServer.version)",
                    advice: "start it anew, so that commands and server know the same")
            }
            return .ok("server", "\(who) answers at \(connection.client.address), version \(server.version)")
        } catch {
            return .failure(
                "server", CommandFailure(error)?.message ?? "\(error)",
                advice: "wait a moment; if it hangs, end it (kill \(owner.processID)) and start it anew")
        }
    }
}
