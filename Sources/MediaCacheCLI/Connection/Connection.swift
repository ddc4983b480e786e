import Foundation
import Logging
import MediaCache
import MediaCacheAPI

/// A way to a cache folder's API: to the process that owns the folder, or, if none does, to one started here.
///
/// Every subcommand goes this way, so that it does the same whether the folder is owned or not.
struct Connection: Sendable {
    /// The API.
    let client: APIClient
    /// Who serves it elsewhere; nil if it's this process.
    let owner: FolderOwner?
    private let host: LocalHost?

    /// Opens the way.
    ///
    /// - Throws: ``CommandFailure`` if the owner doesn't answer; what the engine throws if the folder can't be opened.
    static func open(_ settings: HostSettings) async throws -> Connection {
        let settings = settings.forOneself
        for attempt in 1... {
            if let connection = try await running(at: settings.location) {
                connection.note(settings.ownersAlone)
                return connection
            }
            do {
                let host = try await LocalHost.start(settings)
                let client = APIClient(address: host.address, key: host.key)
                return Connection(client: client, owner: nil, host: host)
            } catch let error as CacheError where error.code == .folderOwned && attempt < 3 {
                // Someone else was faster; now there is an owner to talk to.
                continue
            }
        }
        throw CommandFailure(.failed, "the cache folder's owner keeps changing; try again")
    }

    /// The way to a process that owns the folder already, or nil if none does.
    static func running(at location: CacheLocation) async throws -> Connection? {
        var lastOwner: FolderOwner?
        var reason = "it says no address"
        // An owner that is starting or ending says no address, or one where nobody answers, for a moment.
        for attempt in 0..<4 {
            if attempt > 0 { try await Task.sleep(for: .milliseconds(250)) }
            guard let owner = CacheStore.owner(of: location) else { return nil }
            lastOwner = owner
            guard let address = owner.address else { continue }
            guard let key = try AccessKeyFile.key(of: location) else {
                reason = "there is no key in “\(location.durable)/key”"
                continue
            }
            let client = APIClient(address: address, key: key)
            do {
                _ = try await client.server()
                return Connection(client: client, owner: owner, host: nil)
            } catch {
                await client.close()
                try Task.checkCancellation()
                reason = CommandFailure(error)?.message ?? "\(error)"
            }
        }
        let process = lastOwner.map { "process \($0.processID)" } ?? "another process"
        throw CommandFailure(
            .failed,
            "the cache folder “\(location.durable)” is owned by \(process), which can't be talked to: \(reason)")
    }

    /// Opens the way, does `body`, and closes it, also when `body` throws.
    ///
    /// - Parameter waits: whether to wait afterwards for other commands that have found this process to be the owner.
    static func use<Result: Sendable>(
        _ settings: HostSettings, waits: Bool = true, _ body: @Sendable (Connection) async throws -> Result
    ) async throws -> Result {
        let connection = try await open(settings)
        do {
            let result = try await body(connection)
            if waits { await connection.waitForOthers() }
            await connection.close()
            return result
        } catch {
            await connection.close()
            throw error
        }
    }

    /// Says which options have no effect, since the folder's owner goes by its own.
    private func note(_ options: [String]) {
        guard let owner, !options.isEmpty else { return }
        StandardStreams.printError(
            "mediacache: note: process \(owner.processID) owns the cache folder and goes by its own settings; "
                + "\(options.joined(separator: ", ")) has no effect")
    }

    /// Says why nothing will be kept, if nothing will.
    func noteFolder() { host?.noteFolder() }

    /// Waits for other commands that have found this process to be the folder's owner.
    func waitForOthers() async { await host?.waitForOthers() }

    /// Closes it; a host that was started here stops and gives the folder up.
    func close() async {
        await client.close()
        await host?.stop()
    }
}
