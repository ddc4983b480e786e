extension CacheStore {
    /// The limits of concurrent transfers, initially ``CacheConfiguration/scheduling``. Changes apply to new transfers
    /// at once; running ones continue.
    public var schedulingLimits: TransferScheduler.Limits {
        get { engine.scheduler.limits }
        set { engine.scheduler.limits = newValue }
    }

    /// The bandwidth limits, initially ``CacheConfiguration/bandwidth``. Changes apply to running transfers at once.
    public var bandwidth: BandwidthLimits {
        get { engine.traffic.limits }
        set { engine.traffic.limits = newValue }
    }

    /// The recent throughput from origins; nil if too few bytes have been received since the store was opened or the
    /// network changed.
    public var throughput: ThroughputEstimate? { engine.traffic.throughput }

    /// Discards throughput measurements, because origins are now reached over another network.
    public func networkChanged() {
        engine.traffic.networkChanged()
    }

    /// Runs requests of the app during which all transfers other than playback pause, as transfers from one host do for
    /// playback from it, for at most 10 s. Calls may be nested and concurrent.
    public func foreground<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        let shortage = Shortage(engine.traffic)
        shortage.begin()
        defer { shortage.end() }
        return try await body()
    }
}
