public import Foundation

/// The recent throughput of transfers: from all origins, or from one.
public struct ThroughputEstimate: Sendable, Hashable {
    /// The throughput in bytes per second. Recent measurements have more weight.
    public var bytesPerSecond: Double
    /// The time of the last measurement. An old measurement may have been made on another network.
    public var measured: Date
    /// The total duration of measurements since the store was opened or the network last changed.
    public var duration: Duration

    /// Creates an estimate.
    public init(bytesPerSecond: Double, measured: Date, duration: Duration) {
        self.bytesPerSecond = bytesPerSecond
        self.measured = measured
        self.duration = duration
    }
}

/// An estimator of throughput from received bytes. It has no side effects.
struct ThroughputMeter: Sendable {
    /// The duration of one measurement.
    static let interval = Duration.milliseconds(250)
    /// The gap between buffers above which the origin is considered idle.
    static let maximumGap = Duration.seconds(1)
    /// The duration in seconds after which a measurement has half its weight.
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

    mutating func add(_ count: Int64, now: Duration) {
        if let start, now - last <= Self.maximumGap {
            bytes += count
            last = now
            if now - start >= Self.interval { close(now: now) }
        } else {
            // The bytes aren't counted, because it's unknown how long they took.
            start = now
            last = now
            bytes = 0
        }
    }

    private mutating func close(now: Duration) {
        guard let start else { return }
        let duration = (now - start).seconds
        let sample = Double(bytes) / duration
        let retained = weight * exp2(-duration / halfLife)
        bytesPerSecond = ((bytesPerSecond ?? 0) * retained + sample * duration) / (retained + duration)
        weight = retained + duration
        total += now - start
        self.start = now
        bytes = 0
    }

    /// Returns the estimate; nil if too little has been measured.
    func estimate(wallClock: Date, now: Duration) -> ThroughputEstimate? {
        bytesPerSecond.map {
            ThroughputEstimate(
                bytesPerSecond: $0, measured: wallClock.addingTimeInterval(-(now - last).seconds), duration: total)
        }
    }
}
