import MediaCache
import MediaCacheAPI

/// Making assets complete through the API: ask for them, watch, or stop in good order.
struct DownloadJob: Sendable {
    /// What is asked for.
    struct Item: Sendable {
        /// Its URL.
        var url: ResourceURL
        /// How it's asked for.
        var addition: DownloadAddition
    }

    /// How far all of them are, for who shows it.
    typealias Watcher = @Sendable ([DownloadRecord]) throws -> Void

    /// The API.
    var client: APIClient
    /// Whether another process does the work.
    var isElsewhere: Bool
    /// What is asked for.
    var items: [Item]

    /// Runs to the end of all of them.
    ///
    /// - Returns: the state of each item's download: its end, or what it waits for in vain; nil where somebody cancelled
    ///   it.
    /// - Throws: ``CommandFailure`` after a signal; ``OwnerEnded``.
    func run(showing watcher: @escaping Watcher, until interruption: Interruption) async throws -> [DownloadRecord?] {
        do {
            let known = try await client.downloads()
            let running = Set(known.filter { $0.state == .running || $0.state == .queued }.map(\.id))
            var ids: [String] = []
            for item in items { ids.append(try await client.addDownload(of: item.url, item.addition).id) }
            let done = try await interruption.cancelling { [ids] in try await Self.watch(ids, client, watcher) }
            if let done { return done }
            throw try await interrupted(ids, started: ids.filter { !running.contains($0) })
        } catch let problem as Problem where problem.code == CacheError.Code.closed.rawValue {
            throw OwnerEnded()
        }
    }

    /// Waits for downloads.
    ///
    /// - Returns: what ``run(showing:until:)`` does.
    static func watch(
        _ ids: [String], _ client: APIClient, _ watcher: Watcher
    ) async throws -> [DownloadRecord?] {
        let wanted = Set(ids)
        var isFirst = true
        while true {
            let records = try await client.downloads(waiting: isFirst ? .zero : .milliseconds(200))
                .filter { wanted.contains($0.id) }
            isFirst = false
            try watcher(records)
            guard records.allSatisfy({ $0.isSettled }) else { continue }
            var ended: [String: DownloadRecord] = [:]
            for record in records { ended[record.id] = try await client.download(record.id) }
            return ids.map { ended[$0] }
        }
    }

    /// Ctrl-C ends what this command began, and nothing else; another command may wait for the same.
    private func interrupted(_ ids: [String], started: [String]) async throws -> CommandFailure {
        let records = (try? await client.downloads()) ?? []
        if isElsewhere {
            for id in Set(started) where records.contains(where: { $0.id == id && !$0.state.isEnded }) {
                _ = try? await client.updateDownload(id, DownloadUpdate(state: .paused))
            }
        }
        let kept = Self.kept(records.filter { ids.contains($0.id) })
        return CommandFailure(.interrupted, "interrupted; \(kept), and the same command goes on from there")
    }

    private static func kept(_ records: [DownloadRecord]) -> String {
        let bytes = records.reduce(0) { $0 + $1.bytes }
        guard bytes > 0 else { return "nothing had come yet" }
        return records.count == 1 ? records[0].amount + " are kept" : "\(ByteCount(bytes)) are kept"
    }
}

extension DownloadRecord {
    /// Whether there is nothing to wait for: it has ended, or waits for what won't come by waiting.
    var isSettled: Bool {
        switch state {
        case .queued, .running, .paused: false
        case .waiting:
            // A host that never answered at all is rather a mistake than a network that comes back.
            reason?.code == "space" || (reason?.code == "network" && bytes == 0 && partsDone == 0)
        case .failed, .complete, .completeWithHoles: true
        }
    }

    /// How much of it is here, in words.
    var amount: String {
        "\(ByteCount(bytes))" + (length.map { " of \(lengthKnown ? "" : "about ")\(ByteCount($0))" } ?? "")
    }
}
