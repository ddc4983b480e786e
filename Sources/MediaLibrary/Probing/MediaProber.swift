internal import HLS
public import MediaCache
internal import MediaContainers

/// A prober that describes the media at a URL. It reads as little as possible: the first bytes and index of a file, or
/// the playlists of a stream. These bytes are cached, except live playlists, but don't count as used.
public struct MediaProber: Sendable {
    private static let front: Int64 = 64 << 10
    private static let timeLimit = Duration.seconds(10)

    private let store: CacheStore
    private let loader: PlaylistLoader

    /// Creates a prober that reads through a store. The loader remembers playlists with unusual names.
    public init(store: CacheStore, loader: PlaylistLoader) {
        self.store = store
        self.loader = loader
    }

    /// Returns a description of the file or playlist at `url`.
    ///
    /// - Parameters:
    ///   - settings: The transfer settings; nil means the store's.
    ///   - selection: The selection that ``MediaProbe/selected`` describes; nil for none.
    /// - Throws: `CacheError`, with `notMedia` for a page, for a manifest of another format, and for a playlist that
    ///   can't be parsed or has no variant stream; `CancellationError`.
    public func probe(
        _ url: ResourceURL, settings: TransferSettings? = nil, selection: StreamSelection? = nil
    ) async throws -> MediaProbe {
        if loader.expectsPlaylist(at: url),
            let playlist = try await loader.load(url, scope: .any, settings: settings, countsAsUse: false)
        {
            return try await stream(playlist, settings, selection)
        }
        var request = ReadRequest(url: url, range: .closed(0, through: Self.front - 1), settings: settings)
        request.countsAsUse = false
        let session = try await store.withAccessCheck(request, discarding: { $0.cancel() }) { try await store.read($0) }
        defer { session.cancel() }
        if MediaType.isPlaylist(session.head.contentType),
            let playlist = try await loader.load(url, scope: .any, settings: settings, countsAsUse: false)
        {
            loader.remember(url)
            return try await stream(playlist, settings, selection)
        }
        return try await file(url, session, settings)
    }

    private func file(
        _ url: ResourceURL, _ session: ReadSession, _ settings: TransferSettings?
    ) async throws -> MediaProbe {
        let front = try await session.collect()
        let head = session.head
        var probe = MediaProbe(url: url.description, kind: .file, type: head.contentType)
        probe.length = head.length
        probe.isLengthExact = head.length != nil
        if !MediaType.isAudioOrVideo(head.contentType) {
            probe.notes.append("The origin declares the type \(head.contentType), which players may not support.")
        }
        if head.length == nil { probe.notes.append("The origin doesn't declare the length of the file.") }
        guard let length = head.length, front.withUnsafeBytes(MP4Format.isRecognized) else { return probe }
        do {
            try await readIndex(into: url, front, length, settings, &probe)
        } catch let error as CacheError where error.code == .cancelled {
            throw error
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            probe.notes.append("The file's index can't be read (\(error)); players may refuse the file.")
        }
        return probe
    }

    private func readIndex(
        into url: ResourceURL, _ front: [UInt8], _ length: Int64, _ settings: TransferSettings?,
        _ probe: inout MediaProbe
    ) async throws {
        let store = store
        let movie = try await withDeadline {
            try await BlockingOperation.run { control in
                let source = WindowedSource(length: length, window: front) { (range) throws(ContainerError) in
                    do {
                        return try control.wait {
                            let part = RequestedRange.closed(range.lowerBound, through: range.upperBound - 1)
                            var request = ReadRequest(url: url, range: part, settings: settings)
                            request.countsAsUse = false
                            return try await store.read(request).collect()
                        }
                    } catch {
                        throw ContainerError(.inputOutput, "\(error)", at: range.lowerBound, cause: error)
                    }
                }
                return try MP4Reader(source).movie
            }
        }
        let tracks = movie.mediaTracks
        probe.duration = movie.seconds
        if !movie.protectionSystems.isEmpty {
            probe.isEncrypted = true
            probe.notes.append("The file is protected by DRM: it can be cached, but needs a license to play.")
        }
        if !tracks.contains(where: \.isSupported) {
            probe.notes.append("The file has no video or audio in a supported format.")
        }
    }

    /// Runs `work` with a time limit. Throws `CacheError` with `timedOut` after it.
    private func withDeadline<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value.self) { group in
            group.addTask { try await work() }
            group.addTask { [time = store.time] in
                try await time.sleep(for: Self.timeLimit)
                throw CacheError(.timedOut, "the index wasn't received within \(Self.timeLimit)")
            }
            defer { group.cancelAll() }
            guard let value = try await group.next() else { throw CancellationError() }
            return value
        }
    }

    private func stream(
        _ playlist: LoadedPlaylist, _ settings: TransferSettings?, _ selection: StreamSelection?
    ) async throws -> MediaProbe {
        var probe = MediaProbe(url: playlist.url.description, kind: .stream, type: playlist.head.contentType)
        let parsed = try playlist.parsed()
        switch parsed.playlist {
        case .media(let media): note(media, in: &probe)
        case .multivariant(let multivariant):
            let variants = Self.choices(of: multivariant)
            let chosen = selection?.choose(from: multivariant)
            guard let best = chosen?.variants.first ?? variants.first else {
                throw CacheError(.notMedia, "\(playlist.url) has no variant stream to play")
            }
            let url = try playlist.resolve(best.uri)
            guard
                let child = try await loader.load(
                    url, scope: playlist.references, settings: settings, countsAsUse: false),
                case .media(let media) = try child.parsed(importing: parsed.variables).playlist
            else {
                throw CacheError(.notMedia, "\(url) isn't a media playlist, although \(playlist.url) lists it as one")
            }
            note(media, in: &probe)
            probe.variants = variants.map { MediaProbe.Variant($0, duration: probe.isLive ? nil : probe.duration) }
            probe.length = probe.variants.first?.length
            probe.audio = Self.renditions(.audio, of: multivariant.renditions)
            probe.subtitles = Self.renditions(.subtitles, of: multivariant.renditions)
            probe.selected = chosen.map { variants, renditions in
                MediaProbe.Selected(
                    variants: variants.map { MediaProbe.Variant($0, duration: probe.isLive ? nil : probe.duration) },
                    audio: Self.renditions(.audio, of: renditions),
                    subtitles: Self.renditions(.subtitles, of: renditions))
            }
        }
        return probe
    }

    /// Returns the variant streams with different bandwidths, best first.
    private static func choices(of playlist: MultivariantPlaylist) -> [VariantStream] {
        var known: Set<Int> = []
        return playlist.variants.filter { !$0.uri.isEmpty && known.insert($0.bandwidth).inserted }
            .sorted { $0.bandwidth > $1.bandwidth }
    }

    private static func renditions(_ type: RenditionType, of all: [Rendition]) -> [MediaProbe.Rendition] {
        var known: Set<[String?]> = []
        return all.filter { $0.type == type && known.insert([$0.language, $0.name]).inserted }
            .map { MediaProbe.Rendition(language: $0.language, name: $0.name, isDefault: $0.isDefault) }
    }

    private func note(_ playlist: MediaPlaylist, in probe: inout MediaProbe) {
        probe.isLive = !playlist.hasEndList
        probe.duration = Double(playlist.durationNanoseconds) / 1e9
        let keys = playlist.segments.lazy.flatMap(\.keys)
        probe.isEncrypted = keys.contains { $0.method != .none }
        if let foreign = keys.first(where: \.isManagedByDRM) {
            probe.notes.append(
                "The stream is protected by DRM (\(foreign.keyFormat)): it can be cached, but needs a license to play."
            )
        }
        probe.exportObstacle = Self.exportObstacle(of: playlist)
        let gaps = playlist.segments.count { $0.isGap }
        if gaps > 0 { probe.notes.append("The playlist marks \(gaps) of \(playlist.segments.count) segments as gaps.") }
        if playlist.segments.isEmpty {
            probe.notes.append("The playlist has no segments yet; the encoder may have just started.")
        }
    }
}

extension MediaProber {
    /// Returns the description of an encryption that can't be removed; nil if there is none.
    private static func exportObstacle(of playlist: MediaPlaylist) -> String? {
        var last: [EncryptionKey] = []
        for segment in playlist.segments where segment.keys != last {
            last = segment.keys
            do {
                _ = try SegmentKey.usable(of: segment.keys, mediaSequence: 0)
            } catch {
                return error.summary
            }
        }
        return nil
    }
}

extension MediaProbe.Variant {
    /// Creates a variant. The duration is in seconds; nil for a live stream.
    init(_ variant: VariantStream, duration: Double?) {
        selection = String(variant.bandwidth)
        bandwidth = variant.bandwidth
        width = variant.resolution?.width
        height = variant.resolution?.height
        frameRate = variant.frameRate.flatMap { Double($0.description) }
        codecs = variant.codecs.isEmpty ? nil : variant.codecs.joined(separator: ",")
        // Both values come from the playlist, so their product may be negative or overflow.
        length = duration.map {
            Int64(min(max(0, $0 * Double(variant.averageBandwidth ?? variant.bandwidth) / 8), 1e18))
        }
    }
}
