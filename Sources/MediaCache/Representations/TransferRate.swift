/// How fast an origin is, as running estimates.
struct TransferRate: Sendable {
    private(set) var bytesPerSecond = 0.0
    /// From the request to the first byte.
    private(set) var latency = Duration.milliseconds(100)

    mutating func add(bytes: Int64, in duration: Duration) {
        guard duration > .zero else { return }
        let sample = Double(bytes) / duration.seconds
        bytesPerSecond = bytesPerSecond == 0 ? sample : bytesPerSecond * 0.8 + sample * 0.2
    }

    mutating func add(latency sample: Duration) {
        latency = latency * 0.7 + sample * 0.3
    }

    func time(for bytes: Int64) -> Duration? {
        bytesPerSecond > 0 ? .seconds(Double(bytes) / bytesPerSecond) : nil
    }
}
