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

/// Samples of one track behind a jump of its time stamps that nothing announced, held until the time stamps that follow
/// tell a damaged one from a gap or another clock.
///
/// All times are ticks of 90 kHz unless they are a sample's own.
struct DoubtfulSamples {
    /// A sample with all that handing it out takes.
    struct Held {
        var sample: MediaSample
        var timescale: Int32
        var dts: Int64
        var pts: Int64
        var duration: Int64
        /// The part of the times that the input added.
        var origin: Int64
        var input: RemuxInput
        var format: MediaFormat
        var bytes: [UInt8]

        /// Moves the sample in decoding order, and shows it where it was shown if that is nearer to `offset` behind.
        mutating func move(to time: Int64, offset: Int64) {
            let distance = time.subtractingClamped(dts)
            let moved = pts.addingClamped(distance)
            let wanted = time.addingClamped(offset)
            let isShownRight = wanted.subtractingClamped(pts).magnitude < wanted.subtractingClamped(moved).magnitude
            let ticks = Timescale.convert(distance, from: 90_000, to: timescale)
            sample.dts = sample.dts.addingClamped(ticks)
            if !isShownRight { sample.pts = sample.pts.addingClamped(ticks) }
            sample.pts = max(sample.pts, sample.dts)
            dts = time
            pts = max(isShownRight ? pts : moved, time)
        }
    }

    /// A decision on the samples that are held, by the time of the one that follows.
    enum Verdict {
        /// The next sample belongs to them, and nothing is decided.
        case open
        /// Their times are right.
        case confirmed
        /// Their times are damaged: the next sample continues the samples before them.
        case damaged
        /// Their times are damaged, and the next sample is doubtful as well.
        case contradicted
    }

    /// Steps up to this are jitter.
    static let tolerance: Int64 = 45_000
    private static let mostBytes = 8 << 20
    private static let mostSamples = 4096

    private(set) var samples: [Held] = []
    /// The decoding time at which the track would have gone on.
    private let expected: Int64
    /// The composition offset of the last sample before the jump.
    private let offset: Int64
    /// The time that confirms the samples: longer than one time stamp reaches.
    private let longest: Int64
    private var byteCount = 0
    private var length: Int64 = 0

    init(expected: Int64, offset: Int64, longest: Int64) {
        self.expected = expected
        self.offset = offset
        self.longest = longest
    }

    /// Whether the samples last longer than one time stamp reaches, or are as many as may be held.
    var isFull: Bool {
        length >= longest || byteCount >= Self.mostBytes || samples.count >= Self.mostSamples
    }

    mutating func append(_ held: Held) {
        // Where nothing says how long a picture lasts, the next one tells.
        if let last = samples.last, last.duration <= 0 {
            length = length.addingClamped(max(0, held.dts.subtractingClamped(last.dts)))
        }
        samples.append(held)
        byteCount += held.bytes.count
        length = length.addingClamped(max(0, held.duration))
    }

    func verdict(onNext dts: Int64) -> Verdict {
        guard let last = samples.last else { return .open }
        let onward = dts.subtractingClamped(last.dts.addingClamped(max(0, last.duration)))
        let back = dts.subtractingClamped(expected.addingClamped(length))
        if back.magnitude <= Self.tolerance, back.magnitude < onward.magnitude { return .damaged }
        if dts < last.dts.subtractingClamped(Self.tolerance) { return .contradicted }
        return onward > Self.tolerance ? .confirmed : .open
    }

    /// The samples with times that continue those before the jump.
    var repaired: [Held] {
        var time = expected
        return samples.indices.map { index in
            var held = samples[index]
            let next = index + 1 < samples.count ? samples[index + 1].dts : held.dts
            let length = held.duration > 0 ? held.duration : max(0, next.subtractingClamped(held.dts))
            held.move(to: time, offset: offset)
            time = time.addingClamped(length)
            return held
        }
    }

    /// The decoding time behind the repaired samples.
    var repairedEnd: Int64 { expected.addingClamped(length) }
}
