internal import Foundation
internal import HLS
internal import MediaCache
import Synchronization

/// The download of a live stream, whose recording becomes the asset's contents when the stream ends.
extension DownloadRun {
    /// Fetches the planned parts; records the stream first if it's live. Returns the obstacle to continuing.
    func fetchPlanned(_ settings: TransferSettings) async throws -> DownloadObstacle? {
        while !contents.isGrowing {
            if let obstacle = try await fetchAll(settings) { return obstacle }
            guard state.withLock({ $0.isPlaylist }) else { return nil }
            // The resource turned out to be a playlist, although its name has another extension.
            state.withLock { $0.isPlaylist = false }
            dependencies.loader.remember(try ResourceURL(asset.url))
            try await begin(try await updatedContents(settings), settings)
        }
        if contents.parts.contains(where: { $0.storedAs == nil }) {
            try await completeEarlierForm(settings)
        } else {
            try await record(settings)
        }
        return try await fetchAll(settings)
    }

    /// Completes a live download from an earlier version, which listed segments individually. The asset consists of the
    /// segments found so far.
    private func completeEarlierForm(_ settings: TransferSettings) async throws {
        var contents = contents
        contents.isGrowing = false
        contents.notes.append(
            .init(
                url: asset.url,
                text: "an earlier version began this recording in another format, so it ends where that version stopped"
            )
        )
        try await dependencies.assetStore.setContents(contents, of: id)
        try await begin(contents, settings)
    }

    private func record(_ settings: TransferSettings) async throws {
        let events = EventHub<RecordingEvent> { .dropped(count: $0) }
        let recording = try await dependencies.liveDownloads.recording(of: asset, events: events)
        let progress = Task { [self] in
            for await _ in events.stream() {
                meter.note(await recording.coverage, now: store.time.monotonic)
                report(isFinal: false)
            }
        }
        let isFinishRequested = state.withLock { state in
            state.recording = recording
            return state.isFinishRequested
        }
        meter.note(await recording.coverage, now: store.time.monotonic)
        if isFinishRequested { try await recording.setEnd() }
        await recording.start()
        await withTaskCancellationHandler {
            await recording.waitUntilEnded()
        } onCancel: {
            Task { await recording.stop() }
        }
        // Runs even when the task is cancelled.
        await Task { await recording.stop() }.value
        events.finish()
        await progress.value
        state.withLock { $0.recording = nil }
        try await adopt(recording, settings)
    }

    /// Makes a recording the asset's contents: permanently if it has ended, otherwise until the next run.
    private func adopt(_ recording: Recording, _ settings: TransferSettings) async throws {
        let hasEnded = await recording.channel.hasEnded
        guard let window = try await recording.whole() else {
            guard hasEnded else { throw CacheError(.cancelled, "the download of \(asset.url) was stopped") }
            throw CacheError(.notFound, "\(asset.url) ended before anything was recorded")
        }
        var contents = window.contents
        contents.isGrowing = !hasEnded
        contents.notes = self.contents.notes
        if hasEnded, let note = await note(on: recording) { contents.notes.append(note) }
        guard hasEnded else {
            let contents = contents
            try await Task { try await dependencies.assetStore.setContents(contents, of: id) }.value
            throw CacheError(.cancelled, "the download of \(asset.url) was stopped")
        }
        let holes = try await recording.holes()
        try await dependencies.resources.replaceContents(of: asset, with: contents)
        try await dependencies.liveDownloads.remove(asset, keepingMedia: true)
        try await begin(contents, settings)
        state.withLock { $0.missed = holes }
    }

    /// Returns a note about how the recording ended; nil if every playlist has EXT-X-ENDLIST.
    private func note(on recording: Recording) async -> AssetContents.Note? {
        guard await !recording.hasEndList else { return nil }
        let isRequested = await recording.channel.endsAt.map { $0 <= store.now } ?? false
        let text =
            isRequested
            ? "the recording was ended by request while the stream was still live"
            : "the stream has no EXT-X-ENDLIST; the recording ended when the playlists stopped changing"
        return .init(url: asset.url, text: text)
    }

    /// Ends the recording of a live stream now. Has no effect on other downloads.
    func finish() async throws {
        let recording = state.withLock { state in
            state.isFinishRequested = true
            return state.recording
        }
        try await recording?.setEnd()
    }
}
