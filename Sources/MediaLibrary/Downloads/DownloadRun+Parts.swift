internal import Foundation
internal import MediaCache
internal import Synchronization

/// Fetching the parts.
extension DownloadRun {
    /// Parts at once where the group has no limit.
    private static let standardWidth = 6

    /// - Returns: what it has to wait for, if it can't go on now.
    func fetchAll(_ settings: TransferSettings) async throws -> DownloadObstacle? {
        await withTaskGroup(of: Void.self) { tasks in
            var underWay = 0
            repeat {
                // Looked at anew each time: the limit may have been raised.
                while underWay < max(1, group.limit ?? Self.standardWidth), !Task.isCancelled, let index = nextPart() {
                    underWay += 1
                    tasks.addTask { await self.fetch(index, settings) }
                }
                underWay -= 1
            } while await tasks.next() != nil
        }
        try Task.checkCancellation()
        return state.withLock { $0.obstacle }
    }

    private func nextPart() -> Int? {
        state.withLock { $0.obstacle == nil ? $0.queue.next() : nil }
    }

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
            let key = store.key(of: request)
            meter.started(index, key: key)
            defer { meter.left(index, key: key) }
            work.events.send(.partStarted(id, name: part.name))
            let info = try await work.parts.fill(part, request)
            let bytes = part.range.map { Int64($0.count) } ?? info.length ?? info.bytesKept
            // Whole and not looked at, it would count as right the next time.
            let work = work
            switch try await Task(operation: { try await work.parts.check(part, request, info) }).value {
            case .right: break
            case .noteworthy(let note): state.withLock { $0.notes.add(note) }
            case .playlist: state.withLock { $0.isPlaylist = true }
            }
            meter.finished(index, key: key, bytes: bytes, now: store.time.monotonic)
            state.withLock { state in
                state.queue.done(index)
                state.failures[index] = nil
                state.networkFailures = 0
                state.silent = []
            }
            work.events.send(.partDone(id, name: part.name, bytes: bytes))
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
                state.queue.gaveUp(index)
                if isSuspended { state.obstacle = DownloadObstacle(.cache, "the cache is suspended") }
            }
            return
        }
        if error.code == .notMedia { meter.lost(index) }
        let obstacle = work.obstacle(by: error)
        let waits = state.withLock { state -> Bool in
            state.failures[index] = error
            // One part that can't be reached among others that can is that part's trouble.
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
                state.queue.gaveUp(index)
                return true
            }
            state.queue.failed(index)
            return false
        }
        if !waits { work.events.send(.partFailed(id, name: part.name, reason: error.message)) }
    }

    func report(isFinal: Bool) {
        let now = store.time.monotonic
        work.events.sendProgress(key: id.rawValue, now: now, isFinal: isFinal) {
            .progress(id, meter.progress(now: now))
        }
    }
}
