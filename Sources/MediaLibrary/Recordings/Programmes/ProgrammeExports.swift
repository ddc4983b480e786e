internal import MediaCache
internal import MediaContainers
internal import Synchronization

/// A queue that exports ended programmes in the background, one after another.
///
/// If the process ends during an export, the next process starts the export again. After two such attempts, the
/// export fails, because it may have crashed the processes.
actor ProgrammeExports {
    /// An export of one programme in one format.
    struct Job: Hashable {
        let programme: String
        let format: ProgrammeFormat

        /// The name of the export's file.
        var name: String { ExportFolder.name(programme, format) }
    }

    /// The fraction of a 3GP export's progress that is assigned to writing the intermediate MP4 file.
    private static let intermediateFileShare = 0.1
    /// The time after which an interrupted export is added again.
    static let patience = Duration.seconds(60)
    /// The number of processes that may end during one export before it fails.
    private static let maximumAttempts = 2

    nonisolated let folder: ExportFolder
    private let store: CacheStore
    private let encoder: (any MediaFileEncoder)?
    private let events: EventHub<RecordingEvent>
    private nonisolated let running = Mutex<(job: Job, progress: Double)?>(nil)
    private var waiting: [(job: Job, recording: Recording)] = []
    private var task: (job: Job, task: Task<Void, Never>)?
    /// The tasks that add exports again that were interrupted or whose results couldn't be stored.
    private var retries: [Job: Task<Void, Never>] = [:]
    private var isStarted = false

    /// Creates the queue of a store's recordings. No export runs before ``start()``.
    init(_ store: CacheStore, events: EventHub<RecordingEvent>, encoder: (any MediaFileEncoder)?) {
        self.store = store
        self.events = events
        self.encoder = encoder
        folder = ExportFolder(store)
    }

    // MARK: - Starting and stopping

    func start() { isStarted = true }

    /// Empties and stops the queue. On return, no export is running.
    func stop() async {
        isStarted = false
        waiting = []
        cancelRetries(where: { _ in true })
        task?.task.cancel()
        await task?.task.value
    }

    /// Adds exports, except those that are queued, running or were interrupted recently, unless the queue is stopped.
    func add(_ jobs: [Job], of recording: Recording) {
        guard isStarted else { return }
        for job in jobs where job != task?.job && retries[job] == nil && !waiting.contains(where: { $0.job == job }) {
            waiting.append((job, recording))
        }
        next()
    }

    /// Cancels a programme's exports in one format, or in all formats if `format` is nil. On return, none is running.
    func cancel(_ programme: String, _ format: ProgrammeFormat? = nil) async {
        func matches(_ job: Job) -> Bool { job.programme == programme && format.map { $0 == job.format } ?? true }
        waiting.removeAll { matches($0.job) }
        cancelRetries(where: matches)
        guard let task, matches(task.job) else { return }
        task.task.cancel()
        await task.task.value
    }

    // MARK: - Progress

    /// Returns a programme with the current progress of its exports.
    nonisolated func current(_ programme: Programme) -> Programme {
        guard let (job, progress) = running.withLock({ $0 }), job.programme == programme.id,
            programme[job.format]?.state == .waiting
        else { return programme }
        var programme = programme
        programme[job.format]?.state = .running(progress: progress)
        return programme
    }

    private nonisolated func note(_ progress: Double, _ job: Job, of channel: ChannelName) {
        let progress = min(1, max(0, progress))
        var export = ProgrammeExport(job.format)
        export.state = .running(progress: progress)
        let isRunning = running.withLock { running in
            guard running?.job == job else { return false }
            running?.progress = progress
            return true
        }
        guard isRunning else { return }
        events.sendProgress(key: "export \(job.name)", now: store.monotonicTime, isFinal: false) { [export] in
            .export(channel, programme: job.programme, export)
        }
    }

    // MARK: - Exporting

    private func next() {
        guard isStarted, task == nil, !waiting.isEmpty else { return }
        let (job, recording) = waiting.removeFirst()
        task = (job, Task(priority: .background) { await self.run(job, of: recording) })
    }

    private func run(_ job: Job, of recording: Recording) async {
        let channel = await recording.channel
        if let programme = channel.programmes.first(where: { $0.id == job.programme }),
            programme[job.format]?.state == .waiting
        {
            running.withLock { $0 = (job, 0) }
            note(0, job, of: channel.name)
            do {
                guard try await recording.beginExport(job, atMost: Self.maximumAttempts) else {
                    throw CacheError(
                        .damaged,
                        "the export of “\(programme.name)” failed because \(Self.maximumAttempts) processes ended "
                            + "during it; check the server's log, then export the programme again")
                }
                let export = try await make(job, programme, of: recording, in: channel.name)
                await settle(export, job, of: recording, in: channel.name)
            } catch {
                if Task.isCancelled {
                    await stopped(job, of: recording)
                } else {
                    await failed(job, error, of: recording, in: channel.name)
                }
            }
            running.withLock { $0 = nil }
        }
        task = nil
        next()
    }

    /// Stores a failure. If the encoder was interrupted or the cache was closed, the export is retried later instead.
    private func failed(_ job: Job, _ error: any Error, of recording: Recording, in channel: ChannelName) async {
        let cause = (error as? ContainerError)?.cause ?? error
        guard !(cause is CancellationError), (cause as? CacheError)?.code != .closed else {
            retryLater(job, of: recording)
            await stopped(job, of: recording)
            return
        }
        var export = ProgrammeExport(job.format)
        // The message is shown to the user.
        export.state = .failed(reason: (error as? CacheError)?.message ?? "\(error)")
        await settle(export, job, of: recording, in: channel)
    }

    /// Resets the attempts of an export that was stopped. Runs even when the task is cancelled.
    private func stopped(_ job: Job, of recording: Recording) async {
        await Task { try? await recording.forgetAttempts(of: job) }.value
    }

    /// Adds an export again later, since a recording that isn't running doesn't add its exports.
    private func retryLater(_ job: Job, of recording: Recording) {
        guard !Task.isCancelled else { return }
        retries[job] = Task {
            guard (try? await self.store.time.sleep(for: Self.patience)) != nil, !Task.isCancelled else { return }
            self.retries[job] = nil
            self.add([job], of: recording)
        }
    }

    private func cancelRetries(where matches: (Job) -> Bool) {
        for (job, retry) in retries where matches(job) {
            retry.cancel()
            retries[job] = nil
        }
    }

    /// Stores the result of an export, or deletes its file if it has been cancelled.
    private func settle(
        _ export: ProgrammeExport, _ job: Job, of recording: Recording, in channel: ChannelName
    ) async {
        // A separate task, so that cancelling the caller doesn't interrupt it.
        let result = await Task { [folder] () async throws -> Bool in
            let isRequested = try await recording.settle(export, of: job.programme)
            if !isRequested { try await folder.remove(job.name) }
            return isRequested
        }.result
        switch result {
        case .success(true): events.send(.export(channel, programme: job.programme, export))
        case .success(false): break
        case .failure:
            retryLater(job, of: recording)
            await stopped(job, of: recording)
        }
    }

    private func make(
        _ job: Job, _ programme: Programme, of recording: Recording, in channel: ChannelName
    ) async throws -> ProgrammeExport {
        var export = ProgrammeExport(job.format)
        export.version = AssetID().rawValue
        let (window, span) = try await recording.window(of: programme)
        export.missing = window.gaps
        let absent = window.missingTracks.map { track in
            ProgrammeExport.DamagedSegment(
                name: track, start: 0, duration: Double(max(0, span.upperBound - window.begins)) / 1e9,
                reason: "no segment of this track was recorded")
        }
        let movie = WindowMovie(window: window, span: span)
        let written: WindowMovie.Written
        switch job.format {
        case .hls:
            export.damaged = absent
            export.state = .done(bytes: window.bytes)
            return export
        case .mp4:
            written = try await draft(job.name) { path in
                try await write(movie, to: path) { self.note($0, job, of: channel) }
            }
        case .threeGP:
            guard let encoder else {
                throw CacheError(
                    .invalidSetting,
                    "there is no encoder for 3GP; install ffmpeg (apt-get install ffmpeg, or brew install ffmpeg), "
                        + "restart `mediacache serve`, and export the programme again")
            }
            let film = "\(job.programme).film"
            written = try await draft(film) { path in
                let result = try await write(movie, to: path) {
                    self.note($0 * Self.intermediateFileShare, job, of: channel)
                }
                try await draft(job.name) { output in
                    try await encoder.encode(path, asThreeGP: output, duration: result.seconds) {
                        self.note(Self.intermediateFileShare + $0 * (1 - Self.intermediateFileShare), job, of: channel)
                    }
                }
                return result
            }
            await discardDraft(film)
        }
        export.missing += written.missing
        export.damaged = Array((absent + written.damaged).prefix(ProgrammeExport.maximumListed))
        export.isAudioOnly = written.isAudioOnly
        export.state = .done(bytes: try await folder.commit(job.name))
        return export
    }

    /// Creates a draft, and deletes it if an error is thrown.
    private func draft<Result: Sendable>(
        _ name: String, _ body: (_ path: String) async throws -> Result
    ) async throws -> Result {
        let path = try await folder.draft(name)
        do {
            let result = try await body(path)
            try Task.checkCancellation()
            return result
        } catch {
            await discardDraft(name)
            throw error
        }
    }

    /// Deletes a draft, even when the task is cancelled. If that fails, the next process deletes it.
    private func discardDraft(_ name: String) async {
        await Task { [folder] in try? await folder.removeDraft(name) }.value
    }

    private nonisolated func write(
        _ movie: WindowMovie, to path: String, onProgress: @escaping @Sendable (Double) -> Void
    ) async throws -> WindowMovie.Written {
        try await BlockingOperation.run { [store] control in
            try movie.write(to: path, from: store, control, onProgress: onProgress)
        }
    }
}

/// An encoder for players that can't play the original format. The library itself doesn't encode: implementations use
/// the system's encoder or another program.
public protocol MediaFileEncoder: Sendable {
    /// Encodes an MP4 file as 3GP (H.264 and AAC).
    ///
    /// - Parameters:
    ///   - input: The path of the MP4 file.
    ///   - output: The path of the file to create. An existing file is replaced.
    ///   - seconds: The duration of the MP4 file in seconds.
    ///   - onProgress: Called with the progress from 0 to 1.
    /// - Throws: `CancellationError` if the encoding was cancelled or interrupted and can be tried again; otherwise an
    ///   error whose description is shown to the user.
    func encode(
        _ input: String, asThreeGP output: String, duration seconds: Double,
        onProgress: @escaping @Sendable (Double) -> Void
    ) async throws
}
