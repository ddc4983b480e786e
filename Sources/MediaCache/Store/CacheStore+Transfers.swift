extension CacheStore {
    /// The settings of requests without individual settings, initially ``CacheConfiguration/transfers``.
    public var transfers: TransferSettings { engine.transfers }

    /// The policy that decides which resources are stored: ``CacheConfiguration/admission``.
    public var admission: AdmissionPolicy { engine.configuration.admission }

    /// Changes ``transfers`` in one step, so that no concurrent change is lost. The settings apply to new requests;
    /// running ones keep theirs.
    ///
    /// - Parameter change: A function that is called under a lock. It must not use the store.
    public func updateTransfers(_ change: (inout TransferSettings) -> Void) { engine.updateTransfers(change) }

    /// The limits of concurrent transfers, initially ``CacheConfiguration/scheduling``.
    public var schedulingLimits: TransferScheduler.Limits { engine.scheduler.limits }

    /// Changes ``schedulingLimits`` in one step, so that no concurrent change is lost. The limits apply to new and
    /// waiting transfers; running ones continue.
    ///
    /// - Parameter change: A function that is called under a lock. It must not use the store.
    public func updateSchedulingLimits(_ change: (inout TransferScheduler.Limits) -> Void) {
        engine.scheduler.updateLimits(change)
    }

    /// The bandwidth limits, initially ``CacheConfiguration/bandwidth``.
    public var bandwidth: BandwidthLimits { engine.traffic.limits }

    /// Changes ``bandwidth`` in one step, so that no concurrent change is lost. The limits also apply to running
    /// transfers.
    ///
    /// - Parameter change: A function that is called under a lock. It must not use the store.
    public func updateBandwidth(_ change: (inout BandwidthLimits) -> Void) { engine.traffic.updateLimits(change) }

    /// The recent throughput from origins; nil if too few bytes have been received since the store was opened or the
    /// network changed.
    public var throughput: ThroughputEstimate? { engine.traffic.throughput }

    /// The recent throughput of all transfers from each origin, by its scheme, host and, unless it's the default, port,
    /// such as `https://example.org`. Origins from which too few bytes have been received are omitted. With more than
    /// 256 origins, earlier measurements are discarded.
    public var throughputByOrigin: [String: ThroughputEstimate] { engine.traffic.throughputByOrigin }

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
