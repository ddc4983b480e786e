internal import Foundation
internal import MediaCache
internal import Synchronization

extension DownloadRun {
    /// The number of concurrent transfers if the group has no limit.
    private static let standardWidth = 6

    /// Fetches all missing parts, and returns the obstacle that prevents fetching the rest now.
    func fetchAll(_ settings: TransferSettings) async throws -> DownloadObstacle? {
        await withTaskGroup(of: Void.self) { tasks in
            var inFlight = 0
            repeat {
                // The limit may change in the meantime.
                while inFlight < max(1, group.limit ?? Self.standardWidth), !Task.isCancelled, let index = nextPart() {
                    inFlight += 1
                    tasks.addTask { await self.fetch(index, settings) }
                }
                inFlight -= 1
            } while await tasks.next() != nil
        }
        try Task.checkCancellation()
        return state.withLock { $0.obstacle }
    }

    private func nextPart() -> Int? { state.withLock { $0.obstacle == nil ? $0.queue.next() : nil } }

    func request(for part: AssetPart, _ settings: TransferSettings) throws -> ReadRequest {
        var request = try part.request(settings: settings, named: asset.url)
        request.transferClass = .download
        request.pins = true
        request.group = group
        return request
    }

    private func fetch(_ index: Int, _ settings: TransferSettings) async {
        let part = state.withLock { $0.contents.parts[index] }
        do {
            let request = try request(for: part, settings)
            if let waitForTransfers = dependencies.waitForTransfers {
                await waitForTransfers(request.url)
                try Task.checkCancellation()
            }
            let key = store.key(of: request)
            meter.started(index, key: key)
            defer { meter.released(key: key) }
            dependencies.events.send(.partStarted(id, name: part.name))
            let info = try await dependencies.parts.fill(part, request)
            let bytes = part.range.map { Int64($0.count) } ?? info.length ?? info.bytesCached
            // The check runs even when the task is cancelled, because a complete part isn't checked by the next run.
            let dependencies = dependencies
            switch try await Task(operation: { try await dependencies.parts.check(part, request, info) }).value {
            case .valid: break
            case .validWithNote(let note): state.withLock { $0.notes.add(note) }
            case .playlist: state.withLock { $0.isPlaylist = true }
            }
            meter.finished(index, key: key, bytes: bytes, now: store.time.monotonic)
            state.withLock { state in
                state.queue.done(index)
                state.failures[index] = nil
                state.networkFailures = 0
                state.silent = []
            }
            dependencies.events.send(.partDone(id, name: part.name, bytes: bytes))
            report(isFinal: false)
        } catch {
            let error = CacheError.wrap(error, as: .unreachable, "\(part.url) can't be fetched")
            guard await !failOver(index, part, error) else { return }
            failed(index, part, error)
        }
    }

    private func failed(_ index: Int, _ part: AssetPart, _ error: CacheError) {
        guard error.code != .cancelled, error.code != .closed, !Task.isCancelled else {
            let isSuspended = !Task.isCancelled
            state.withLock { state in
                state.queue.released(index)
                if isSuspended { state.obstacle = DownloadObstacle(.cache, "the cache is suspended") }
            }
            return
        }
        if error.code == .notMedia { meter.removed(index) }
        let obstacle = dependencies.obstacle(by: error)
        let waits = state.withLock { state -> Bool in
            state.failures[index] = error
            // A single unreachable part doesn't stop the download.
            if error.code == .timedOut {
                state.silent.insert(index)
            } else if obstacle?.kind == .network {
                state.networkFailures += 1
            }
            let isAll =
                obstacle?.kind != .network || max(state.networkFailures, state.silent.count) >= 3
                || state.contents.parts.count == 1
            if let obstacle, isAll {
                state.obstacle = state.obstacle ?? obstacle
                state.queue.released(index)
                return true
            }
            state.queue.failed(index)
            return false
        }
        if !waits { dependencies.events.send(.partFailed(id, name: part.name, reason: error.message)) }
    }

    func report(isFinal: Bool) {
        let now = store.time.monotonic
        dependencies.events.sendProgress(key: id.rawValue, now: now, isFinal: isFinal) {
            .progress(id, meter.progress(now: now))
        }
        reportBeginning()
    }
}

/// A list of notes about parts, in which notes with equal texts are combined.
struct NoteAggregator: Sendable {
    /// The maximum number of different texts.
    private static let maximum = 100

    private var counts: [String: (url: String, count: Int)] = [:]
    private var order: [String] = []

    mutating func add(_ note: AssetContents.Note, count: Int = 1) {
        if counts[note.text] != nil {
            counts[note.text]?.count += count
        } else if order.count < Self.maximum {
            order.append(note.text)
            counts[note.text] = (note.url, count)
        }
    }

    /// Returns the notes combined with those of earlier runs. The text of a note about several parts ends with the
    /// number of the others. Numbers of parts are added, unless this run has checked the parts of earlier runs again.
    func combined(with earlier: [AssetContents.Note], replacesCounts: Bool) -> [AssetContents.Note] {
        var all = NoteAggregator()
        for note in earlier {
            let (text, count) = Self.split(note.text)
            guard !replacesCounts || counts[text] == nil else { continue }
            all.add(.init(url: note.url, text: text), count: count)
        }
        for text in order {
            if let new = counts[text] { all.add(.init(url: new.url, text: text), count: new.count) }
        }
        return all.order.compactMap { text in
            all.counts[text].map { .init(url: $0.url, text: text + Self.suffix($0.count)) }
        }
    }

    private static func suffix(_ count: Int) -> String { count > 1 ? " (and \((count - 1).counted("more part")))" : "" }

    /// Returns the text of a combined note without its suffix, and the number of parts.
    private static func split(_ text: String) -> (text: String, count: Int) {
        guard let start = text.range(of: " (and ", options: .backwards),
            let others = Int(text[start.upperBound...].prefix { $0.isNumber }), (1..<1 << 32).contains(others),
            text[start.lowerBound...] == suffix(others + 1)
        else { return (text, 1) }
        return (String(text[..<start.lowerBound]), others + 1)
    }
}
