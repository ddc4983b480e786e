internal import MediaCache
internal import MediaContainers
internal import Synchronization

extension DownloadRun {
    /// Sends ``DownloadEvent/playable(_:)`` once, when the beginning of the asset is cached. Called after each
    /// progress report.
    func reportBeginning() {
        guard !state.withLock({ $0.hasBeginning }) else { return }
        if meter.hasBeginning { return sendPlayable() }
        checkBeginningOfFile()
    }

    private func sendPlayable() {
        let isDue = state.withLock { state in
            defer { state.hasBeginning = true }
            return !state.hasBeginning
        }
        if isDue { dependencies.events.send(.playable(id)) }
    }

    /// Examines the cached bytes of an incomplete file, unless few bytes were received since the last time.
    private func checkBeginningOfFile() {
        guard state.withLock({ $0.contents.playlists.isEmpty && $0.contents.parts.count == 1 }) else { return }
        let cached = meter.progress(now: store.time.monotonic).bytes
        let url = state.withLock { state -> String? in
            guard cached >= state.nextCheck, let part = state.contents.parts.first else { return nil }
            state.nextCheck = .max
            return part.url
        }
        guard let url, let settings = try? dependencies.settings(for: asset) else { return }
        Task(priority: .utility) {
            let found = try? await BlockingOperation.run { [store] control in
                let resources = StoreResources(store, settings: settings, control: control, countsAsUse: false)
                try FileBeginning.read(try resources.bytes(of: url, range: nil))
                return true
            }
            state.withLock { $0.nextCheck = cached + max(FileBeginning.length, cached / 4) }
            if found == true { sendPlayable() }
        }
    }
}

/// The part of a file that players read before playback begins.
enum FileBeginning {
    /// The number of bytes of media.
    static let length: Int64 = 256 << 10
    /// The maximum size of an index in bytes.
    private static let maximumIndex = 64 << 20
    /// The maximum number of boxes before the media.
    private static let maximumBoxes = 1000

    /// Reads the index of an MP4, and the beginning of its media, or the beginning of any other file. Throws the errors
    /// of the source if some of these bytes aren't cached, and those of damaged files.
    static func read(_ source: some ByteSource) throws(ContainerError) {
        let front = try source.bytes(0..<min(source.length, 8), limit: 8)
        guard front.withUnsafeBytes(MP4Format.isRecognized) else {
            return try read(source, at: 0)
        }
        var boxes = TopLevelBoxes(source)
        var media: Int64?
        var hasIndex = false
        for _ in 0..<maximumBoxes where !hasIndex || media == nil {
            guard let header = try boxes.next() else { break }
            switch header.type {
            case "moov":
                _ = try source.bytes(header.payload, limit: maximumIndex)
                hasIndex = true
            case "mdat", "moof": media = media ?? header.offset
            default: break
            }
        }
        guard hasIndex, let media else {
            throw ContainerError(.malformed, "no index or no media among the first boxes", at: boxes.position)
        }
        try read(source, at: media)
    }

    private static func read(_ source: some ByteSource, at offset: Int64) throws(ContainerError) {
        let end = min(source.length, offset + length)
        _ = try source.bytes(offset..<end, limit: Int(length))
    }
}
