/// The limit on how fast one request of a player receives bytes.
///
/// AVFoundation accepts all bytes at once and has no back pressure: it cancels a request when its buffer is full.
/// Without a limit, gigabytes of cached bytes would be in memory before the cancellation arrives. A resource that was
/// complete when the player opened it needs no limit, because the player requests small parts of it.
struct DeliveryPace: Sendable, Hashable {
    /// The number of bytes without a delay.
    var burst: Int64 = 64 << 20
    /// The number of bytes per second after ``burst``. The default exceeds the bit rate of any common video.
    var bytesPerSecond: Int64 = 16 << 20

    /// Returns the time to wait before the next bytes of a request; zero or less if there is no need to wait.
    ///
    /// - Parameters:
    ///   - count: The number of bytes that the request has received.
    ///   - elapsed: The time since the request began to receive bytes.
    func delay(after count: Int64, elapsed: Duration) -> Duration {
        .seconds(Double(max(0, count - burst)) / Double(bytesPerSecond)) - elapsed
    }
}
