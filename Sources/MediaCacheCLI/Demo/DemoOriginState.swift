import NIOCore
import Synchronization

/// What the demo origin's connections share.
final class DemoOriginState: Sendable {
    /// What has been done since the start.
    struct Counts: Sendable, Hashable {
        /// Body bytes sent.
        var bytesSent: Int64 = 0
        /// Requests for the clip answered.
        var requests: Int = 0
        /// Responses being sent now.
        var running: Int = 0
    }

    /// Where the clip is.
    static let clipPath = "/clock.mp4"
    /// How often a response sends: small steps look like a slow line, not like bursts.
    static let interval = TimeAmount.milliseconds(50)

    let clip: ByteBuffer
    /// A strong validator: it follows from the bytes, so that another build's clip is another version.
    let entityTag: String
    let counts = Mutex(Counts())
    private let bytesPerSecond: Int64

    init(clip: ByteBuffer, bytesPerSecond: Int64) {
        self.clip = clip
        self.bytesPerSecond = max(1, bytesPerSecond)
        // FNV-1a, 64 bits: enough to tell two builds apart.
        let hash = clip.readableBytesView.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
        entityTag = "\"\(String(hash, radix: 16))\""
    }

    /// What one response may send in one interval: its share of the rate.
    func share() -> Int {
        let running = Int64(max(1, counts.withLock { $0.running }))
        let perInterval = bytesPerSecond / (1_000_000_000 / Self.interval.nanoseconds)
        return Int(max(1, perInterval / running))
    }
}
