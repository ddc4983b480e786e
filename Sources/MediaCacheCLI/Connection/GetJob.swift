import MediaCache
import MediaCacheServer
import Synchronization

/// Keeping the whole of one resource through the API: start, watch, pin, or stop in good order.
struct GetJob: Sendable {
    /// The API.
    var client: APIClient
    /// What to keep.
    var url: ResourceURL
    /// Header fields for its origin.
    var headers: [String: String]
    /// Whether the file is wanted at the end.
    var wantsFile: Bool

    /// Runs the job to its end.
    ///
    /// - Throws: ``CommandFailure``: partial if a part is here, failed if nothing is, interrupted after a signal;
    ///   ``OwnerEnded``.
    func run(showing progress: ProgressPrinter, until interruption: Interruption) async throws -> ResourceRecord {
        let job = try await client.startGet(url, headers: headers)
        let done: GetStatus?
        do {
            done = try await interruption.cancelling { try await watch(job.id, progress) }
        } catch {
            progress.finish()
            throw error
        }
        guard let done else {
            let last = try? await client.getStatus(id: job.id)
            try? await client.cancelGet(id: job.id)
            progress.finish()
            throw CommandFailure(
                .interrupted, "interrupted; \(Self.kept(last)), and the same command goes on from there")
        }
        progress.show(done)
        progress.finish()
        if done.state == .failed {
            // Nobody else stops it.
            if done.error?.code == CacheError.Code.cancelled.rawValue { throw OwnerEnded() }
            throw Self.failure(done)
        }
        guard let id = done.resource?.id, let resource = try await client.resource(id: id) else {
            throw CommandFailure(
                .failed, "\(url) was fetched but isn't kept: it may not be, or it's over --max-object-size")
        }
        guard resource.complete else { throw Self.incomplete(resource) }
        // Before the file is asked for: pinning moves it.
        if !resource.pinned { try await pin(id) }
        return try await client.resource(id: id, withFile: wantsFile) ?? resource
    }

    /// In a folder that can't be written it's here, and can be copied out, though eviction isn't kept off.
    private func pin(_ id: Int64) async throws {
        do {
            try await client.setPinned(true, id: id)
        } catch let problem as Problem where problem.code == CacheError.Code.storage.rawValue {
            StandardStreams.printError("mediacache: note: not pinned: \(problem.detail)")
        }
    }

    private func watch(_ id: String, _ progress: ProgressPrinter) async throws -> GetStatus {
        while true {
            let status = try await client.getStatus(id: id, waiting: .milliseconds(200))
            guard status.state == .running else { return status }
            progress.show(status)
        }
    }

    private static func kept(_ status: GetStatus?) -> String {
        guard let status, status.bytes > 0 else { return "nothing had come yet" }
        let of = status.length.map { " of \(ByteCount($0))" } ?? ""
        return "\(ByteCount(status.bytes))\(of) are kept"
    }

    /// What is told of a job that failed. Where all bytes are here it wasn't for bytes, as of a playlist, and the same
    /// command wouldn't go on.
    static func failure(_ status: GetStatus) -> CommandFailure {
        let reason = status.error?.message ?? "the owner gave no reason"
        guard status.bytes > 0, status.bytes != status.length else { return CommandFailure(.failed, reason) }
        return CommandFailure(
            .partial, "\(reason); \(kept(status))\(missing(status.resource)); the same command goes on from there")
    }

    private static func incomplete(_ resource: ResourceRecord) -> CommandFailure {
        let of = resource.length.map { " of \(ByteCount($0))" } ?? ""
        return CommandFailure(.partial, "\(ByteCount(resource.bytesCached))\(of) are kept\(missing(resource))")
    }

    /// The first holes, by their offsets.
    private static func missing(_ resource: ResourceRecord?) -> String {
        let holes = resource.map(ResourceReport.holes) ?? []
        guard !holes.isEmpty else { return "" }
        let shown = holes.prefix(3).map { "\($0.lowerBound)–\($0.upperBound)" }.joined(separator: ", ")
        return ", missing bytes \(shown)" + (holes.count > 3 ? " and \(holes.count - 3) more ranges" : "")
    }
}
