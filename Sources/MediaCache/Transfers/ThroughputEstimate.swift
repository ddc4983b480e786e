public import Foundation

/// How fast bytes have come from origins lately, all transfers together.
public struct ThroughputEstimate: Sendable, Hashable {
    /// Bytes a second, the newer measurements counting more.
    public var bytesPerSecond: Double
    /// When bytes were last measured. What was measured long ago may be of another place.
    public var measured: Date
    /// How long bytes were measured in all, since the network last changed.
    public var duration: Duration

    /// Creates an estimate.
    public init(bytesPerSecond: Double, measured: Date, duration: Duration) {
        self.bytesPerSecond = bytesPerSecond
        self.measured = measured
        self.duration = duration
    }
}

/// Makes an estimate of what comes. Pure.
struct ThroughputMeter: Sendable {
    /// Bytes are counted over so long a time.
    static let interval = Duration.milliseconds(250)
    /// Between bytes that are further apart nothing was to come.
    static let longestGap = Duration.seconds(1)
    /// After so many seconds of measuring a measurement counts half.
    private let halfLife: Double

    private var start: Duration?
    private var last = Duration.zero
    private var bytes: Int64 = 0
    private var total = Duration.zero
    private(set) var bytesPerSecond: Double?
    private var weight = 0.0

    init(halfLife: Double = 5) {
        self.halfLife = halfLife
    }

    /// Bytes have come.
    mutating func add(_ count: Int64, now: Duration) {
        if let start, now - last <= Self.longestGap {
            bytes += count
            last = now
            if now - start >= Self.interval { close(now: now) }
        } else {
            // When these were on their way isn't known.
            start = now
            last = now
            bytes = 0
        }
    }

    private mutating func close(now: Duration) {
        guard let start else { return }
        let duration = (now - start).seconds
        let sample = Double(bytes) / duration
        let kept = weight * exp2(-duration / halfLife)
        bytesPerSecond = ((bytesPerSecond ?? 0) * kept + sample * duration) / (kept + duration)
        weight = kept + duration
        total += now - start
        self.start = now
        bytes = 0
    }

    /// What has been measured, or nil if too little was.
    func estimate(wallClock: Date, now: Duration) -> ThroughputEstimate? {
        bytesPerSecond.map {
            ThroughputEstimate(
                bytesPerSecond: $0, measured: wallClock.addingTimeInterval(-(now - last).seconds), duration: total)
        }
    }
}
