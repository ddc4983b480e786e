import Foundation
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// The store of the limits of the cache and of transfers that were changed through the API: the file `cache.json` in
/// the folder `settings` of a cache.
actor CacheSettingsStore {
    static let fileName = "cache.json"

    private let store: CacheStore
    private let folder: SideFolder
    private var overriding: CacheSettingsUpdate?
    private var stored = CacheSettingsUpdate()
    private var isLoaded = false
    /// Serializes changes, so that none is lost.
    private let changes = ConcurrencyLimit()

    /// - Parameter overriding: The settings of this process, which take precedence over the file until they change.
    init(store: CacheStore, overriding: CacheSettingsUpdate?) {
        self.store = store
        self.overriding = overriding
        folder = store.sideFolder("settings")
    }

    /// Loads and applies the stored settings, unless that has been done before.
    ///
    /// - Throws: `CacheError` with `storage`; ``Problem`` if a number of this process's settings is invalid.
    func load() async throws {
        try await changes.runUncancelled {
            guard !isLoaded else { return }
            stored = CacheSettingsUpdate(stored: try await folder.contents(of: Self.fileName))
            isLoaded = true
            var used = overriding.map(stored.merging) ?? stored
            try used.check()
            // Usually the store was opened with these limits. Changing them evicts content, which takes time.
            var limits = store.limits
            used.limits?.apply(to: &limits)
            if limits == store.limits { used.limits = nil }
            try await used.apply(to: store)
        }
    }

    /// Changes settings, and stores them if the folder can be written. Content beyond new limits is evicted.
    ///
    /// - Throws: ``Problem`` if a number is invalid, before anything has changed; `CacheError` with `storage`.
    func change(_ update: CacheSettingsUpdate) async throws {
        try await changes.runUncancelled {
            try update.check()
            let changed = stored.merging(update)
            if changed != stored, store.isWritable {
                try await folder.write(Array(try JSONEncoder().encode(changed)), to: Self.fileName)
            }
            (stored, overriding) = (changed, overriding?.without(update))
            try await update.apply(to: store)
        }
    }

    /// Replaces the overriding settings of this process, and applies them to a configuration with the stored ones. The
    /// stored settings don't change.
    ///
    /// - Throws: ``Problem`` if a number is invalid; `CacheError` with `storage` if content can't be evicted.
    func override(with settings: CacheSettingsUpdate?, of configuration: CacheConfiguration) async throws {
        try await changes.runUncancelled {
            try settings?.check()
            var used = configuration
            (settings.map(stored.merging) ?? stored).apply(to: &used)
            overriding = settings
            store.updateTransfers { transfers in
                transfers.limits = used.transfers.limits
                transfers.retries = used.transfers.retries
                transfers.readAhead = used.transfers.readAhead
            }
            store.updateBandwidth { bandwidth in
                let downloads = bandwidth.classes[.download]
                bandwidth = used.bandwidth
                bandwidth.classes[.download] = downloads
            }
            if store.limits != used.limits { try await store.setLimits(used.limits) }
        }
    }
}

extension CacheSettingsUpdate {
    /// Decodes stored settings; empty for a file that doesn't exist, can't be decoded, such as one of another version, or
    /// has a number out of range.
    init(stored bytes: [UInt8]?) {
        guard let bytes, let read = try? JSONDecoder().decode(Self.self, from: Data(bytes)),
            (try? read.check()) != nil
        else {
            self.init()
            return
        }
        self = read
    }

    private var rates: [(name: String, value: Int64?, transferClass: TransferClass?)] {
        [
            ("total", bandwidth?.total, nil), ("playback", bandwidth?.playback, .playback),
            ("recording", bandwidth?.recording, .recording), ("preload", bandwidth?.preload, .preload),
            ("background", bandwidth?.background, .background),
        ]
    }

    /// - Throws: ``Problem`` if a number is out of range.
    func check() throws {
        let seconds = 0.001...86_400.0
        try Bounds.check(limits?.maximumBytes, Bounds.bytes, "limits.maximumBytes")
        try Bounds.check(limits?.maximumAge, Bounds.seconds, "limits.maximumAge")
        try Bounds.check(limits?.minimumFreeBytes, Bounds.bytes, "limits.minimumFreeBytes")
        try Bounds.check(transfers?.connectTimeout, seconds, "transfers.connectTimeout")
        try Bounds.check(transfers?.responseTimeout, seconds, "transfers.responseTimeout")
        try Bounds.check(transfers?.stallTimeout, seconds, "transfers.stallTimeout")
        try Bounds.check(transfers?.retries, 0...100, "transfers.retries")
        try Bounds.check(transfers?.readAhead, 65_536...Bounds.bytes.upperBound, "transfers.readAhead")
        for rate in rates { try Bounds.check(rate.value, Bounds.bytes, "bandwidth.\(rate.name)") }
    }

    /// Changes a store's settings, and evicts content beyond new limits.
    ///
    /// - Throws: `CacheError` with `storage` if the content can't be evicted.
    func apply(to store: CacheStore) async throws {
        if let transfers { store.updateTransfers { transfers.apply(to: &$0) } }
        if bandwidth != nil { store.updateBandwidth { apply(to: &$0) } }
        if let limits { try await store.updateLimits { limits.apply(to: &$0) } }
    }

    /// Changes a configuration.
    func apply(to configuration: inout CacheConfiguration) {
        limits?.apply(to: &configuration.limits)
        transfers?.apply(to: &configuration.transfers)
        apply(to: &configuration.bandwidth)
    }

    private func apply(to limits: inout BandwidthLimits) {
        for case (_, let value?, let transferClass) in rates {
            let limit = value == 0 ? nil : value
            if let transferClass { limits.classes[transferClass] = limit } else { limits.total = limit }
        }
    }

    /// Returns the settings with those of another update, which take precedence.
    func merging(_ other: Self) -> Self {
        var merged = self
        merged.limits =
            limits.map { own in
                CacheSettingsUpdate.Limits(
                    maximumBytes: other.limits?.maximumBytes ?? own.maximumBytes,
                    maximumAge: other.limits?.maximumAge ?? own.maximumAge,
                    minimumFreeBytes: other.limits?.minimumFreeBytes ?? own.minimumFreeBytes)
            } ?? other.limits
        merged.transfers =
            transfers.map { own in
                CacheSettingsUpdate.Transfers(
                    connectTimeout: other.transfers?.connectTimeout ?? own.connectTimeout,
                    responseTimeout: other.transfers?.responseTimeout ?? own.responseTimeout,
                    stallTimeout: other.transfers?.stallTimeout ?? own.stallTimeout,
                    retries: other.transfers?.retries ?? own.retries,
                    readAhead: other.transfers?.readAhead ?? own.readAhead)
            } ?? other.transfers
        merged.bandwidth =
            bandwidth.map { own in
                CacheSettings.Bandwidth(
                    total: other.bandwidth?.total ?? own.total, playback: other.bandwidth?.playback ?? own.playback,
                    recording: other.bandwidth?.recording ?? own.recording,
                    preload: other.bandwidth?.preload ?? own.preload,
                    background: other.bandwidth?.background ?? own.background)
            } ?? other.bandwidth
        return merged
    }

    /// Returns the settings without the values that another update also has.
    func without(_ other: Self) -> Self {
        var rest = self
        if other.limits?.maximumBytes != nil { rest.limits?.maximumBytes = nil }
        if other.limits?.maximumAge != nil { rest.limits?.maximumAge = nil }
        if other.limits?.minimumFreeBytes != nil { rest.limits?.minimumFreeBytes = nil }
        if other.transfers?.connectTimeout != nil { rest.transfers?.connectTimeout = nil }
        if other.transfers?.responseTimeout != nil { rest.transfers?.responseTimeout = nil }
        if other.transfers?.stallTimeout != nil { rest.transfers?.stallTimeout = nil }
        if other.transfers?.retries != nil { rest.transfers?.retries = nil }
        if other.transfers?.readAhead != nil { rest.transfers?.readAhead = nil }
        if other.bandwidth?.total != nil { rest.bandwidth?.total = nil }
        if other.bandwidth?.playback != nil { rest.bandwidth?.playback = nil }
        if other.bandwidth?.recording != nil { rest.bandwidth?.recording = nil }
        if other.bandwidth?.preload != nil { rest.bandwidth?.preload = nil }
        if other.bandwidth?.background != nil { rest.bandwidth?.background = nil }
        return rest
    }
}

extension CacheSettingsUpdate.Limits {
    fileprivate func apply(to limits: inout CacheLimits) {
        if let maximumBytes { limits.maximumBytes = maximumBytes == 0 ? nil : maximumBytes }
        if let maximumAge { limits.maximumAge = maximumAge == 0 ? nil : .seconds(maximumAge) }
        limits.minimumFreeBytes = minimumFreeBytes ?? limits.minimumFreeBytes
    }
}

extension CacheSettingsUpdate.Transfers {
    fileprivate func apply(to settings: inout TransferSettings) {
        if let connectTimeout { settings.limits.connect = .seconds(connectTimeout) }
        if let responseTimeout { settings.limits.firstByte = .seconds(responseTimeout) }
        if let stallTimeout { settings.limits.stall = .seconds(stallTimeout) }
        settings.retries.budget = retries ?? settings.retries.budget
        if let readAhead { settings.readAhead = .limited(to: readAhead) }
    }
}
