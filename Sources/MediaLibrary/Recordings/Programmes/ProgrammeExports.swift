internal import MediaCache
internal import MediaContainers
internal import Synchronization

/// Makes what programmes are exported as when they are over: one after the other, and in no hurry.
///
/// The result of an export is stored with its channel, and while it runs, how often it was begun; its progress is known
/// here alone. An export that a process left half done begins again in the next one. One during which two processes ended
/// has failed: it may be what ended them.
actor ProgrammeExports {
    /// One to make.
    struct Job: Hashable {
        let programme: String
        let format: ProgrammeFormat

        /// What its file is called.
        var name: String { ExportFolder.name(programme, format) }
    }

    /// Encoding takes the most of an export's time, the film that is encoded so much of it.
    private static let shareOfFilm = 0.1
    /// What something from outside has ended is tried again so much later.
    private static let patience = Duration.seconds(60)
    /// The number of processes that may end during one export before it has failed.
    private static let mostAttempts = 2

    nonisolated let folder: ExportFolder
    private let store: CacheStore
    private let encoder: (any FilmEncoder)?
    private let events: EventHub<RecordingEvent>
    private nonisolated let running = Mutex<(job: Job, progress: Double)?>(nil)
    private var waiting: [(job: Job, recording: Recording)] = []
    private var task: (job: Job, task: Task<Void, Never>)?
    /// When something from outside ended them, or kept what became of them from being written down.
    private var setAside: [Job: Duration] = [:]
    private var isStarted = false

    /// Exports of a store's recordings. None is made before ``start()``.
    ///
    /// - Parameter encoder: what encodes films anew; nil where nothing does.
    init(_ store: CacheStore, events: EventHub<RecordingEvent>, encoder: (any FilmEncoder)?) {
        self.store = store
        self.events = events
        self.encoder = encoder
        folder = ExportFolder(store)
    }

    // MARK: - Life

    /// Makes what comes from now on.
    func start() {
        isStarted = true
        setAside = [:]
    }

    /// Ends. What was being made begins anew when somebody adds it again.
    func stop() async {
        isStarted = false
        waiting = []
        task?.task.cancel()
        await task?.task.value
    }

    /// Makes these when it's their turn; those that are known are passed over.
    func add(_ jobs: [Job], of recording: Recording) {
        guard isStarted else { return }
        let now = store.monotonicTime
        for job in jobs where job != task?.job && !waiting.contains(where: { $0.job == job }) {
            if let since = setAside[job], now - since < Self.patience { continue }
            waiting.append((job, recording))
        }
        next()
    }

    /// Gives up what isn't made yet of a programme, in one format or all. Returns when nothing of it runs any more.
    func cancel(_ programme: String, _ format: ProgrammeFormat? = nil) async {
        func isMeant(_ job: Job) -> Bool { job.programme == programme && format.map { $0 == job.format } ?? true }
        waiting.removeAll { isMeant($0.job) }
        setAside = setAside.filter { !isMeant($0.key) }
        guard let task, isMeant(task.job) else { return }
        task.task.cancel()
        await task.task.value
    }

    // MARK: - What is known

    /// A programme with what is known of its exports at this moment.
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

    // MARK: - Making

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
                guard try await recording.beginExport(job, atMost: Self.mostAttempts) else {
                    throw CacheError(
                        .damaged,
                        "exporting “\(programme.name)” was given up, since \(Self.mostAttempts) processes ended during it; "
                            + "look for the reason in the server's log, then export it again")
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

    /// Who has ended it says what becomes of it. Where the encoder was ended, or the cache is closed, nothing is wrong with
    /// the export.
    private func failed(_ job: Job, _ error: any Error, of recording: Recording, in channel: ChannelName) async {
        let cause = (error as? ContainerError)?.cause ?? error
        guard !(cause is CancellationError), (cause as? CacheError)?.code != .closed else {
            setAside[job] = store.monotonicTime
            await stopped(job, of: recording)
            return
        }
        var export = ProgrammeExport(job.format)
        // What a person is told.
        export.state = .failed(reason: (error as? CacheError)?.message ?? "\(error)")
        await settle(export, job, of: recording, in: channel)
    }

    /// Forgets that an export was begun, since it was stopped in order. Runs even when the task is cancelled.
    private func stopped(_ job: Job, of recording: Recording) async {
        await Task { try? await recording.forgetAttempts(of: job) }.value
    }

    /// Writes down what became of one, unless nobody wants it any more.
    private func settle(
        _ export: ProgrammeExport, _ job: Job, of recording: Recording, in channel: ChannelName
    ) async {
        // Shielded from the cancellation of whoever stops it.
        let isSettled = await Task { [folder] in
            do {
                guard try await recording.settle(export, of: job.programme) else {
                    try await folder.remove(job.name)
                    return true
                }
                return true
            } catch {
                return false
            }
        }.value
        guard isSettled else {
            setAside[job] = store.monotonicTime
            return
        }
        events.send(.export(channel, programme: job.programme, export))
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
                reason: "nothing of this track was recorded")
        }
        export.damaged = absent
        let movie = WindowMovie(window: window, span: span)
        switch job.format {
        case .hls:
            export.state = .done(bytes: window.bytes)
            return export
        case .mp4:
            let written = try await draft(job.name) { path in
                try await write(movie, to: path) { self.note($0, job, of: channel) }
            }
            export.missing += written.missing
            export.damaged = Array((absent + written.damaged).prefix(ProgrammeExport.mostListed))
            export.isSound = written.isSound
        case .threeGP:
            guard let encoder else {
                throw CacheError(
                    .invalidSetting,
                    "nothing here encodes films; `mediacache serve` does where ffmpeg is installed (apt-get install "
                        + "ffmpeg, or brew install ffmpeg): install it, start it again, and ask for this once more")
            }
            let film = "\(job.programme).film"
            let path = try await folder.draft(film)
            let result: Result<WindowMovie.Written, any Error>
            do {
                let written = try await write(movie, to: path) {
                    self.note($0 * Self.shareOfFilm, job, of: channel)
                }
                try await draft(job.name) { output in
                    try await encoder.encode(path, asThreeGP: output, lasting: written.seconds) {
                        self.note(Self.shareOfFilm + $0 * (1 - Self.shareOfFilm), job, of: channel)
                    }
                }
                result = .success(written)
            } catch {
                result = .failure(error)
            }
            await discardDraft(film)
            let written = try result.get()
            export.missing += written.missing
            export.damaged = Array((absent + written.damaged).prefix(ProgrammeExport.mostListed))
            export.isSound = written.isSound
        }
        export.state = .done(bytes: try await folder.place(job.name))
        return export
    }

    /// Makes a draft; nothing of one that fails is left.
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

    /// Also for who is cancelled. What can't be deleted now is when the next process begins.
    private func discardDraft(_ name: String) async {
        await Task { [folder] in try? await folder.removeDraft(name) }.value
    }

    private nonisolated func write(
        _ movie: WindowMovie, to path: String, onProgress: @escaping @Sendable (Double) -> Void
    ) async throws -> WindowMovie.Written {
        try await BlockingWork.run { [store] control in
            try movie.write(to: path, from: store, control, onProgress: onProgress)
        }
    }
}
