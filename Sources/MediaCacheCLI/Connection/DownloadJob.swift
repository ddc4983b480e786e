import MediaCache
import MediaCacheAPI
import MediaLibrary

/// A job that downloads through the API until all downloads have ended or need the user, or a signal arrives.
struct DownloadJob: Sendable {
    struct Item: Sendable {
        var url: ResourceURL
        var addition: DownloadAddition
    }

    typealias Watcher = @Sendable ([DownloadRecord]) throws -> Void

    var client: APIClient
    /// Whether another process runs the downloads.
    var isRemote: Bool
    var items: [Item]

    /// Adds the downloads and waits until they have ended or need the user.
    ///
    /// - Returns: The final state of each download, which is a waiting state if the download needs the user; nil for a
    ///   cancelled download.
    /// - Throws: ``CommandFailure`` after a signal; ``OwnerEnded``.
    func run(showing watcher: @escaping Watcher, until interruption: Interruption) async throws -> [DownloadRecord?] {
        do {
            let records = try await client.downloads()
            let running = Set(records.filter { $0.state == .running || $0.state == .queued }.map(\.id))
            var ids: [String] = []
            for item in items { ids.append(try await client.addDownload(of: item.url, item.addition).id) }
            let done = try await interruption.cancelling { [ids] in try await Self.watch(ids, client, watcher) }
            if let done { return done }
            throw try await interrupted(ids, started: ids.filter { !running.contains($0) })
        } catch let problem as Problem where problem.code == CacheError.Code.closed.rawValue {
            throw OwnerEnded()
        }
    }

    /// Waits until downloads have ended or need the user.
    static func watch(
        _ ids: [String], _ client: APIClient, _ watcher: Watcher
    ) async throws -> [DownloadRecord?] {
        let requested = Set(ids)
        var isFirst = true
        while true {
            let records = try await client.downloads(waiting: isFirst ? .zero : .milliseconds(200))
                .filter { requested.contains($0.id) }
            isFirst = false
            try watcher(records)
            guard records.allSatisfy({ $0.isSettled }) else { continue }
            var ended: [String: DownloadRecord] = [:]
            for record in records { ended[record.id] = try await client.download(record.id) }
            return ids.map { ended[$0] }
        }
    }

    /// Returns the failure. If another process runs the downloads, pauses those that this command started. Downloads
    /// that were already queued or running continue, since another command may wait for them.
    private func interrupted(_ ids: [String], started: [String]) async throws -> CommandFailure {
        let records = (try? await client.downloads()) ?? []
        if isRemote {
            for id in Set(started) where records.contains(where: { $0.id == id && !$0.state.isEnded }) {
                _ = try? await client.updateDownload(id, DownloadUpdate(state: .paused))
            }
        }
        let received = Self.received(records.filter { ids.contains($0.id) })
        return CommandFailure(.interrupted, "interrupted; \(received); run the same command to resume")
    }

    private static func received(_ records: [DownloadRecord]) -> String {
        let bytes = records.reduce(0) { $0 + $1.bytes }
        guard bytes > 0 else { return "no data was received" }
        return "\(records.count == 1 ? records[0].amount : "\(ByteCount(bytes))") cached"
    }
}

extension DownloadRecord {
    /// Whether the download has ended, or waits for an action of the user.
    var isSettled: Bool {
        switch state {
        case .queued, .running, .paused: false
        case .waiting:
            // If no data was ever received, a wrong URL is more likely than a network interruption.
            reason?.code == "space" || (reason?.code == "network" && bytes == 0 && partsDone == 0)
        case .failed, .complete, .completeWithHoles: true
        }
    }

    var amount: String {
        "\(ByteCount(bytes))" + (length.map { " of \(isLengthExact ? "" : "about ")\(ByteCount($0))" } ?? "")
    }
}
