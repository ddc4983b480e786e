extension CacheStore {
    /// How many transfers run at once: at first as ``CacheConfiguration/scheduling`` says. New transfers follow a change
    /// at once; what runs already runs on.
    public var schedulingLimits: TransferScheduler.Limits {
        get { engine.scheduler.limits }
        set { engine.scheduler.limits = newValue }
    }

    /// How many bytes a second transfers may take: at first as ``CacheConfiguration/bandwidth`` says. Transfers that run
    /// follow a change at once.
    public var bandwidth: BandwidthLimits {
        get { engine.traffic.limits }
        set { engine.traffic.limits = newValue }
    }

    /// How fast bytes came from origins lately; nil if too few have come since the store was opened, or since the network
    /// changed.
    public var throughput: ThroughputEstimate? { engine.traffic.throughput }

    /// Tells that origins are reached over another network now: what was measured of the one before is forgotten.
    public func networkChanged() {
        engine.traffic.networkChanged()
    }

    /// Runs the app's own requests, which aren't the store's, while every transfer that isn't of what plays holds back,
    /// whatever its host, as transfers from one host do for playback from it: for 10 s at most. Calls may nest and
    /// overlap.
    public func foreground<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        let shortage = Shortage(engine.traffic)
        shortage.begin()
        defer { shortage.end() }
        return try await body()
    }
}
