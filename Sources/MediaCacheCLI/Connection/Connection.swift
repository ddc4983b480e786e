import Foundation
import Logging
import MediaCache
import MediaCacheAPI
import MediaCacheCurl

/// A connection to the API of a cache folder: to the process that owns the folder, or to a server in this process.
///
/// Subcommands use it, so that they behave the same whether or not another process owns the folder.
struct Connection: Sendable {
    let client: APIClient
    /// The owner of the folder; nil for this process.
    let owner: FolderOwner?
    private let host: LocalHost?

    static func open(_ settings: HostSettings) async throws -> Connection {
        let settings = settings.forThisProcess
        var attempts = 0
        while true {
            if let connection = try await running(at: settings.location) {
                connection.note(settings.ownerOptions)
                return connection
            }
            attempts += 1
            do {
                let host = try await LocalHost.start(settings)
                let client = APIClient(address: host.address, key: host.key, origin: CurlOrigin())
                return Connection(client: client, owner: nil, host: host)
            } catch let error as CacheError where error.code == .folderOwned && attempts < 3 {
                // Another process has opened the folder in the meantime.
                continue
            }
        }
    }

    /// Returns a connection, which needn't be closed, to the owner of the folder; nil without an owner.
    static func running(at location: CacheLocation) async throws -> Connection? {
        var lastOwner: FolderOwner?
        var reason = "its address is unknown"
        // While the owner starts or stops, its address can be unknown or unreachable.
        for attempt in 0..<4 {
            if attempt > 0 { try await Task.sleep(for: .milliseconds(250)) }
            guard let owner = CacheStore.owner(of: location) else { return nil }
            lastOwner = owner
            guard let address = owner.address else { continue }
            guard let key = try AccessKeyFile.key(of: location) else {
                reason = "“\(location.durable)/key” contains no key"
                continue
            }
            let client = APIClient(address: address, key: key, origin: CurlOrigin())
            do {
                _ = try await client.server()
                return Connection(client: client, owner: owner, host: nil)
            } catch {
                try Task.checkCancellation()
                reason = CommandFailure(error)?.message ?? "\(error)"
            }
        }
        let process = lastOwner.map { "process \($0.processID)" } ?? "another process"
        throw CommandFailure(
            .failed,
            "the cache folder “\(location.durable)” is owned by \(process), which can't be reached: \(reason); "
                + "try again, or end that process if it hangs")
    }

    /// Runs `body` with a connection, and closes it.
    ///
    /// - Parameter waits: Whether to wait afterwards for other commands that use the server in this process.
    static func use<Result: Sendable>(
        _ settings: HostSettings, waits: Bool = true, _ body: @Sendable (Connection) async throws -> Result
    ) async throws -> Result {
        let connection = try await open(settings)
        do {
            let result = try await body(connection)
            if waits { await connection.waitForOtherDownloads() }
            await connection.close()
            return result
        } catch {
            await connection.close()
            throw error
        }
    }

    private func note(_ options: [String]) {
        guard let owner, !options.isEmpty else { return }
        StandardStreams.printError(
            "mediacache: note: process \(owner.processID) owns the cache folder and uses its own settings; "
                + "ignoring \(options.joined(separator: ", "))")
    }

    func noteFolder() { host?.noteFolder() }

    func waitForOtherDownloads() async { await host?.waitForOtherDownloads() }

    func close() async { await host?.stop() }
}
