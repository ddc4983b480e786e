import MediaLibrary
import NIOCore
import Synchronization

/// The shared state of the demo origin's connections.
final class DemoOriginState: Sendable {
    struct Counts: Sendable, Hashable {
        var bytesSent: Int64 = 0
        var requests: Int = 0
        /// The number of responses being sent.
        var running: Int = 0
    }

    static let clipPath = "/clock.mp4"
    /// The interval between the writes of a response. Small, frequent writes resemble a slow connection.
    static let interval = TimeAmount.milliseconds(50)

    let clip: ByteBuffer
    /// A strong validator computed from the bytes, so that a different clip in another build is a new representation.
    let entityTag: String
    let counts = Mutex(Counts())
    private let bytesPerSecond: Int64

    init(clip: ByteBuffer, bytesPerSecond: Int64) {
        self.clip = clip
        self.bytesPerSecond = max(1, bytesPerSecond)
        // 64-bit FNV-1a suffices to distinguish builds.
        let hash = clip.withUnsafeReadableBytes { FNV1a.extend(FNV1a.initial, with: $0) }
        entityTag = "\"\(String(hash, radix: 16))\""
    }

    /// Returns the number of bytes that one response may send in an interval.
    func share() -> Int {
        let running = Int64(max(1, counts.withLock { $0.running }))
        let perInterval = bytesPerSecond / (1_000_000_000 / Self.interval.nanoseconds)
        return Int(max(1, perInterval / running))
    }
}
