import HTTPTypes
import MediaCache
import MediaCacheAPI

/// `/api/v1/settings/cache`: `GET` and `PATCH` for the limits of the cache and of transfers.
struct CacheSettingsRoute: Route {
    let paths = ["/api/v1/settings/cache"]
    let access = RouteAccess.key
    let store: CacheStore

    func respond(to request: RouteRequest) async throws -> RouteResponse {
        switch request.method {
        case .get, .head: break
        case .patch: try await request.decode(CacheSettingsUpdate.self).apply(to: store)
        default: throw request.methodNotAllowed(.get, .patch)
        }
        return try .json(CacheSettings(store))
    }
}

extension CacheSettingsUpdate {
    /// Changes a store's settings, and evicts content beyond the new limits.
    ///
    /// - Throws: ``Problem`` if a number is invalid, before anything has changed; `CacheError` with `storage` if the
    ///   content can't be evicted.
    func apply(to store: CacheStore) async throws {
        let seconds = 0.001...86_400.0
        try Bounds.check(limits?.maximumBytes, Bounds.bytes, "limits.maximumBytes")
        try Bounds.check(limits?.maximumAge, Bounds.seconds, "limits.maximumAge")
        try Bounds.check(limits?.minimumFreeBytes, Bounds.bytes, "limits.minimumFreeBytes")
        try Bounds.check(transfers?.connectTimeout, seconds, "transfers.connectTimeout")
        try Bounds.check(transfers?.responseTimeout, seconds, "transfers.responseTimeout")
        try Bounds.check(transfers?.stallTimeout, seconds, "transfers.stallTimeout")
        try Bounds.check(transfers?.retries, 0...100, "transfers.retries")
        try Bounds.check(transfers?.readAhead, 65_536...Bounds.bytes.upperBound, "transfers.readAhead")
        let rates: [(name: String, value: Int64?, transferClass: TransferClass?)] = [
            ("total", bandwidth?.total, nil), ("playback", bandwidth?.playback, .playback),
            ("recording", bandwidth?.recording, .recording), ("preload", bandwidth?.preload, .preload),
            ("background", bandwidth?.background, .background),
        ]
        for rate in rates { try Bounds.check(rate.value, Bounds.bytes, "bandwidth.\(rate.name)") }

        store.updateTransfers { settings in
            if let limit = transfers?.connectTimeout { settings.limits.connect = .seconds(limit) }
            if let limit = transfers?.responseTimeout { settings.limits.firstByte = .seconds(limit) }
            if let limit = transfers?.stallTimeout { settings.limits.stall = .seconds(limit) }
            settings.retries.budget = transfers?.retries ?? settings.retries.budget
            if let maximum = transfers?.readAhead { settings.readAhead = .limited(to: maximum) }
        }
        store.updateBandwidth { bandwidth in
            for case (_, let value?, let transferClass) in rates {
                let limit = value == 0 ? nil : value
                if let transferClass { bandwidth.classes[transferClass] = limit } else { bandwidth.total = limit }
            }
        }
        guard let limits else { return }
        try await store.updateLimits { changed in
            if let bytes = limits.maximumBytes { changed.maximumBytes = bytes == 0 ? nil : bytes }
            if let age = limits.maximumAge { changed.maximumAge = age == 0 ? nil : .seconds(age) }
            changed.minimumFreeBytes = limits.minimumFreeBytes ?? changed.minimumFreeBytes
        }
    }
}
