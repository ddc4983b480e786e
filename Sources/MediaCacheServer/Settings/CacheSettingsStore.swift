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

    /// Replaces the overriding settings of this process, and applies them, the stored settings and `configuration` to
    /// the store, in this order of precedence. The stored settings don't change.
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
    /// Decodes stored settings; empty for a file that doesn't exist, can't be decoded, such as one of another version,
    /// or has a number out of range.
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
    func merging(_ other: Self) -> Self { combined(with: other, .merging) }

    /// Returns the settings without the values that another update also has.
    func without(_ other: Self) -> Self { combined(with: other, .removing) }

    /// A way of combining the values of two updates.
    private enum Combination {
        case merging, removing

        func callAsFunction<Value>(_ own: Value?, _ other: Value?) -> Value? {
            switch self {
            case .merging: other ?? own
            case .removing: other == nil ? own : nil
            }
        }
    }

    private func combined(with other: Self, _ combine: Combination) -> Self {
        let (ownLimits, otherLimits) = (limits ?? .init(), other.limits ?? .init())
        let limits = Limits(
            maximumBytes: combine(ownLimits.maximumBytes, otherLimits.maximumBytes),
            maximumAge: combine(ownLimits.maximumAge, otherLimits.maximumAge),
            minimumFreeBytes: combine(ownLimits.minimumFreeBytes, otherLimits.minimumFreeBytes))
        let (own, others) = (transfers ?? .init(), other.transfers ?? .init())
        let transfers = Transfers(
            connectTimeout: combine(own.connectTimeout, others.connectTimeout),
            responseTimeout: combine(own.responseTimeout, others.responseTimeout),
            stallTimeout: combine(own.stallTimeout, others.stallTimeout),
            retries: combine(own.retries, others.retries), readAhead: combine(own.readAhead, others.readAhead))
        let (ownRates, otherRates) = (bandwidth ?? .init(), other.bandwidth ?? .init())
        let bandwidth = CacheSettings.Bandwidth(
            total: combine(ownRates.total, otherRates.total),
            playback: combine(ownRates.playback, otherRates.playback),
            recording: combine(ownRates.recording, otherRates.recording),
            preload: combine(ownRates.preload, otherRates.preload),
            background: combine(ownRates.background, otherRates.background))
        return CacheSettingsUpdate(
            limits: limits == Limits() ? nil : limits, transfers: transfers == Transfers() ? nil : transfers,
            bandwidth: bandwidth == CacheSettings.Bandwidth() ? nil : bandwidth)
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
