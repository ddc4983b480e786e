import MediaCache
import MediaCacheAPI
import MediaLibrary

extension EventRecord {
    init(_ event: AssetEvent) {
        switch event {
        case .added(let id): self.init(.assetAdded, asset: id.rawValue)
        case .changed(let id): self.init(.assetChanged, asset: id.rawValue)
        case .removed(let id): self.init(.assetRemoved, asset: id.rawValue)
        case .dropped(let count): self.init(dropped: count)
        }
    }

    init(_ event: DownloadEvent) {
        switch event {
        case .added(let id): self.init(.downloadAdded, asset: id.rawValue)
        case .removed(let id): self.init(.downloadRemoved, asset: id.rawValue)
        case .state(let id, let state):
            self.init(.downloadState, asset: id.rawValue)
            self.state = DownloadRecord.State(state)
            reason = DownloadRecord.Reason(state)
        case .progress(let id, let progress):
            self.init(.downloadProgress, asset: id.rawValue)
            bytes = progress.bytes
            length = progress.length
            isLengthExact = progress.isLengthExact
            partsDone = progress.parts.done
            parts = progress.parts.total
            rate = progress.rate
            secondsReady = progress.secondsReady
        case .playable(let id): self.init(.downloadPlayable, asset: id.rawValue)
        case .partStarted(let id, let name):
            self.init(.partStarted, asset: id.rawValue)
            part = name
        case .partDone(let id, let name, let bytes):
            self.init(.partDone, asset: id.rawValue)
            part = name
            self.bytes = bytes
        case .partFailed(let id, let name, let reason):
            self.init(.partFailed, asset: id.rawValue)
            part = name
            message = reason
        case .dropped(let count): self.init(dropped: count)
        }
    }

    init(_ event: RecordingEvent) {
        switch event {
        case .state(let name, let state):
            self.init(.channelState)
            channel = name.rawValue
            channelState = ChannelRecord.State(state)
            if case .waiting(let reason) = state { message = reason }
        case .segment(let name, let track, let start, let duration, let bytes):
            self.init(.channelSegment)
            (channel, self.track, self.duration, self.bytes) = (name.rawValue, track, duration, bytes)
            self.start = start.nanosecondsSinceEpoch / 1_000_000
        case .gap(let name, let track, let start, let duration, let reason):
            self.init(.channelGap)
            (channel, self.track, self.duration, message) = (name.rawValue, track, duration, reason)
            self.start = start.nanosecondsSinceEpoch / 1_000_000
        case .pruned(let name, let segments, let bytes):
            self.init(.channelPruned)
            (channel, count, self.bytes) = (name.rawValue, segments, bytes)
        case .export(let name, let programme, let export):
            self.init(.channelExport)
            let record = ExportRecord(export, of: programme, base: "")
            (channel, self.programme, format) = (name.rawValue, programme, record.format)
            (exportState, progress, bytes) = (record.state, record.progress, record.bytes)
            (count, message) = (record.missing, record.reason)
        case .removed(let name):
            self.init(.channelRemoved)
            channel = name.rawValue
        case .dropped(let count): self.init(dropped: count)
        }
    }

    /// Creates the record of a store event; nil for events that clients don't receive.
    init?(_ event: CacheEvent) {
        switch event {
        case .hit, .miss, .fillStarted, .fillEnded(_, _, nil), .entityTagAlternates, .rangesIgnored: return nil
        case .progress(let progress):
            self.init(.resourceProgress, key: progress.key)
            bytes = progress.bytesCached
            length = progress.length
            rate = progress.rate
        case .fillEnded(let key, let bytes, .some(let error)):
            self.init(.resourceFailed, key: key)
            self.bytes = bytes
            message = error.message
        case .representationChanged(let key): self.init(.resourceChanged, key: key)
        case .evicted(let key, let bytes):
            self.init(.resourceEvicted, key: key)
            self.bytes = bytes
        case .damaged(let key, _): self.init(.resourceDamaged, key: key)
        case .servedStale(let key, let error):
            self.init(.resourceStale, key: key)
            message = error.message
        case .storageFailed(let error):
            self.init(.storageFailed)
            message = error.description
        case .catalogReplaced(let path):
            self.init(.catalogReplaced)
            message = "the catalog was damaged and has been set aside at \(path)"
        case .dropped(let count): self.init(dropped: count)
        }
    }

    init(dropped count: Int) {
        self.init(.dropped)
        self.count = count
    }

    /// Creates the record of a resource event. The record contains the cache key without the user.
    private init(_ event: Name, key: String) { self.init(event, resource: CacheKey(key).name) }
}
