import HTTPTypes
import MediaCache
import Synchronization

/// The jobs that keep whole resources. Ended ones are remembered for a while, so that their end can be asked for.
final class GetJobs: Sendable {
    /// Jobs that may run at once.
    private static let maximumRunning = 1000
    /// Ended jobs that are remembered.
    private static let maximumEnded = 200

    private struct Job {
        var status: GetStatus
        let request: ReadRequest
        let task: Task<Void, Never>?
        /// Finished when the job ends.
        var watchers: [Int: AsyncStream<Never>.Continuation] = [:]
    }

    private struct State {
        var jobs: [String: Job] = [:]
        var order: [String] = []
        var next = 1
    }

    private let store: CacheStore
    private let profiles: HeaderProfileBook
    private let state = Mutex(State())

    init(store: CacheStore, profiles: HeaderProfileBook) {
        self.store = store
        self.profiles = profiles
    }

    /// Starts keeping `url`; returns the job's name.
    func start(_ url: ResourceURL, fields: HTTPFields) async throws -> String {
        let identity = try await profiles.identity(for: url, in: store)
        var settings = profiles.settings(for: url, as: identity, fields: fields) ?? store.transfers
        // A person has asked for it to be kept.
        settings.keepsNoStore = true
        let request = ReadRequest(
            url: url.withoutUserInfo, policy: .whole, transferClass: .download, settings: settings)
        return try state.withLock { state in
            guard state.jobs.values.count(where: { $0.status.state == .running }) < Self.maximumRunning else {
                throw Problem(
                    title: "Too many requests",
                    status: 429,
                    detail: "\(Self.maximumRunning) gets are running; ask again when some are done",
                    code: "tooManyGets"
                )
            }
            let id = "\(state.next)"
            state.next += 1
            let task = Task { await self.run(id, request) }
            let status = GetStatus(id: id, url: request.url.description, state: .running)
            state.jobs[id] = Job(status: status, request: request, task: task)
            state.order.append(id)
            Self.forget(&state)
            return id
        }
    }

    /// How far a job is: at once, or as soon as it has ended within the time given.
    func status(of id: String, waiting limit: Duration) async throws -> GetStatus {
        if limit > .zero { await waitForEnd(of: id, limit) }
        guard let job = state.withLock({ $0.jobs[id] }) else { throw Problem.notFound("there is no get named “\(id)”") }
        var status = job.status
        let info: ResourceInfo?
        if let known = status.resource?.id {
            info = try await store.resource(id: known)
        } else {
            info = try await store.resource(of: job.request)
        }
        if let info {
            status.resource = ResourceRecord(info)
            status.bytes = info.spans.reduce(0) { $0 + Int64($1.count) }
            status.length = info.length
        }
        return status
    }

    private func waitForEnd(of id: String, _ limit: Duration) async {
        let (ends, end) = AsyncStream.makeStream(of: Never.self)
        let watcher = state.withLock { state -> Int? in
            guard state.jobs[id]?.status.state == .running else { return nil }
            state.next += 1
            state.jobs[id]?.watchers[state.next] = end
            return state.next
        }
        guard let watcher else { return }
        defer { _ = state.withLock { $0.jobs[id]?.watchers.removeValue(forKey: watcher) } }
        let timer = Task {
            try? await Task.sleep(for: limit)
            end.finish()
        }
        for await _ in ends {}
        timer.cancel()
    }

    /// Returns when no job runs.
    func waitForAll() async {
        while let task = state.withLock({ $0.jobs.values.first { $0.status.state == .running }?.task }) {
            await task.value
        }
    }

    /// Whether any job runs.
    var isRunning: Bool { state.withLock { $0.jobs.values.contains { $0.status.state == .running } } }

    /// Stops a job. What came is kept.
    func stop(_ id: String) {
        state.withLock { $0.jobs[id]?.task }?.cancel()
    }

    /// Stops all jobs.
    func stopAll() {
        for task in state.withLock({ $0.jobs.values.compactMap(\.task) }) { task.cancel() }
    }

    private func run(_ id: String, _ request: ReadRequest) async {
        let key = store.key(of: request)
        let events = store.events()
        let watching = Task {
            for await event in events {
                if case .progress(let progress) = event, progress.key == key { self.note(progress, of: id) }
            }
        }
        defer { watching.cancel() }
        do {
            let info = try await store.complete(request)
            if MediaTypes.isPlaylist(info.contentType) {
                throw CacheError(
                    .notMedia,
                    "\(request.url) is an HLS playlist; keeping a whole stream isn't built yet. Playing it keeps what "
                        + "is played (mediacache play)")
            }
            end(id) {
                $0.state = .done
                $0.resource = ResourceRecord(info)
            }
        } catch {
            let error = CacheError.wrap(error, as: .storage, "the resource can't be kept")
            end(id) {
                $0.state = .failed
                $0.error = GetStatus.Failure(
                    code: error.code.rawValue, message: error.code == .storage ? error.description : error.message)
            }
        }
    }

    private func note(_ progress: CacheEvent.Progress, of id: String) {
        state.withLock { $0.jobs[id]?.status.rate = progress.rate }
    }

    private func end(_ id: String, _ change: (inout GetStatus) -> Void) {
        let watchers = state.withLock { state -> [AsyncStream<Never>.Continuation] in
            guard var job = state.jobs[id] else { return [] }
            job.status.rate = 0
            change(&job.status)
            let watchers = Array(job.watchers.values)
            job.watchers = [:]
            state.jobs[id] = job
            return watchers
        }
        for watcher in watchers { watcher.finish() }
    }

    private static func forget(_ state: inout State) {
        var surplus = state.jobs.values.count { $0.status.state != .running } - maximumEnded
        guard surplus > 0 else { return }
        for id in state.order where surplus > 0 && state.jobs[id]?.status.state != .running {
            state.jobs[id] = nil
            surplus -= 1
        }
        state.order.removeAll { state.jobs[$0] == nil }
    }
}
