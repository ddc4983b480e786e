/// Samples that wait until the shift of their stretch of time is known, with their bytes.
struct HeldSamples {
    struct Held {
        var stretch: StretchID
        var sample: MediaSample
        var timescale: Int32
        /// What the input added to the sample's times.
        var origin: Int64
        var bytes: [UInt8]
    }

    /// More than this isn't held: the shift is then found from what is here.
    private static let mostBytes = 8 << 20
    private static let mostSamples = 4096
    private static let longest: Int64 = 3 * 90_000

    private(set) var samples: [Held] = []
    private var byteCount = 0

    var isEmpty: Bool { samples.isEmpty }

    /// Whether the samples are as many as may be held, or last as long.
    var isFull: Bool {
        guard byteCount < Self.mostBytes, samples.count < Self.mostSamples else { return true }
        guard let first = samples.first, let last = samples.last(where: { $0.sample.track == first.sample.track })
        else { return false }
        let held = last.sample.dts.subtractingClamped(first.sample.dts)
        return Timescale.convert(held, from: first.timescale, to: 90_000) > Self.longest
    }

    mutating func append(_ held: Held) {
        samples.append(held)
        byteCount += held.bytes.count
    }

    /// Takes out the samples of stretches before `stretch`, or all, in their order.
    mutating func take(before stretch: StretchID?) -> [Held] {
        guard let stretch else {
            defer { self = HeldSamples() }
            return samples
        }
        let ready = samples.filter { $0.stretch < stretch }
        samples.removeAll { $0.stretch < stretch }
        byteCount = samples.reduce(0) { $0 + $1.bytes.count }
        return ready
    }
}
