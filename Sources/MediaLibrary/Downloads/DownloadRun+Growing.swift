internal import Foundation
internal import HLS
internal import MediaCache
import Synchronization

/// Streams that grow while they are downloaded.
extension DownloadRun {
    /// Fetches what is planned; where that grows, as long as it does.
    func fetchPlanned(_ settings: TransferSettings) async throws -> DownloadObstacle? {
        var growing: GrowingStream?
        while true {
            if let obstacle = try await fetchAll(settings) { return obstacle }
            if state.withLock({ $0.isPlaylist }) {
                state.withLock { $0.isPlaylist = false }
                // What was taken for a file is a playlist: its name didn't tell.
                work.loader.remember(try ResourceURL(asset.url))
                try await begin(try await planAnew(settings), settings)
                continue
            }
            guard contents.isGrowing else { return nil }
            let stream =
                try growing
                ?? GrowingStream(
                    ResourceURL(asset.url), selection: asset.download?.selection ?? StreamSelection(), work: work,
                    settings: settings)
            if growing == nil { await stream.restore(contents, missed: state.withLock { $0.missed }) }
            growing = stream
            guard try await grow(stream) else { return nil }
        }
    }

    /// Waits for the stream's next load. Returns whether it goes on.
    private func grow(_ stream: GrowingStream) async throws -> Bool {
        var wait = await stream.interval
        if let end = asset.download?.endsAt {
            wait = min(wait, .seconds(max(0, end.timeIntervalSince(store.now))))
        }
        while wait > .zero, !state.withLock({ $0.isToFinish }) {
            let step = min(wait, .milliseconds(500))
            try await store.time.sleep(for: step)
            wait -= step
        }
        if let end = asset.download?.endsAt, store.now >= end { finish() }
        var grown = contents
        if state.withLock({ $0.isToFinish }) {
            grown.isGrowing = false
            grown.notes.append(
                .init(url: asset.url, text: "taken as it was when somebody ended it; it was still growing"))
        } else {
            grown = grown.grown(to: try await stream.reload())
            if !grown.isGrowing, await !stream.hasEndList {
                grown.notes.append(.init(url: asset.url, text: "it has no EXT-X-ENDLIST, and didn't grow any more"))
            }
        }
        let missed = await stream.missed
        state.withLock { $0.missed = missed }
        guard grown != contents else {
            state.withLock { $0.retry() }
            return true
        }
        try await work.shelf.setContents(grown, of: id)
        meter.extend(grown)
        state.withLock { state in
            for index in state.contents.parts.count..<max(state.contents.parts.count, grown.parts.count)
            where state.indexes[grown.parts[index].name] == nil {
                state.indexes[grown.parts[index].name] = index
            }
            state.queue.append(grown.parts.count - state.contents.parts.count)
            state.contents = grown
            state.retry()
        }
        return true
    }

    /// Takes a stream that still grows as it is now.
    func finish() { state.withLock { $0.isToFinish = true } }
}
