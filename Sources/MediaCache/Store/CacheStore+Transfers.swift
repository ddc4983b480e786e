extension CacheStore {
    /// The settings of requests without individual settings, initially ``CacheConfiguration/transfers``. Changes apply
    /// to new requests; running ones continue.
    public var transfers: TransferSettings {
        get { engine.transfers }
        set { engine.transfers = newValue }
    }

    /// The limits of concurrent transfers, initially ``CacheConfiguration/scheduling``. Changes apply to new and
    /// waiting transfers; running ones continue.
    public var schedulingLimits: TransferScheduler.Limits {
        get { engine.scheduler.limits }
        set { engine.scheduler.limits = newValue }
    }

    /// The bandwidth limits, initially ``CacheConfiguration/bandwidth``. Changes also apply to running transfers.
    public var bandwidth: BandwidthLimits {
        get { engine.traffic.limits }
        set { engine.traffic.limits = newValue }
    }

    /// The recent throughput from origins; nil if too few bytes have been received since the store was opened or the
    /// network changed.
    public var throughput: ThroughputEstimate? { engine.traffic.throughput }

    /// Discards measurements of throughput and latency. Call this when the device has switched to another network.
    public func networkChanged() {
        engine.traffic.networkChanged()
    }

    /// Pauses all transfers other than playback and recordings while `body` runs, but for at most 10 s. Use it for the
    /// app's own urgent requests. Calls may be nested and concurrent.
    public func foreground<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        let shortage = Shortage(engine.traffic)
        shortage.begin()
        defer { shortage.end() }
        return try await body()
    }
}
