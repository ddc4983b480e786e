/// A queue of samples and their bytes, which are held until the shift of their period (``JoinedTimeline``) is known.
struct SampleQueue {
    struct Held {
        var period: ClockPeriodID
        var sample: MediaSample
        var timescale: Int32
        /// The offset that the input adds to the times of the sample, in 90 kHz ticks.
        var origin: Int64
        var bytes: [UInt8]
    }

    private static let maximumBytes = 8 << 20
    private static let maximumSamples = 4096
    private static let longest: Int64 = 3 * 90_000

    private(set) var samples: [Held] = []
    private var byteCount = 0

    var isEmpty: Bool { samples.isEmpty }

    /// Whether the queue has reached its limit in bytes, samples or time, so that shifts are computed early.
    var isFull: Bool {
        guard byteCount < Self.maximumBytes, samples.count < Self.maximumSamples else { return true }
        guard let first = samples.first, let last = samples.last(where: { $0.sample.track == first.sample.track })
        else { return false }
        let held = last.sample.dts.subtractingClamped(first.sample.dts)
        return Timescale.convert(held, from: first.timescale, to: 90_000) > Self.longest
    }

    mutating func append(_ held: Held) {
        samples.append(held)
        byteCount += held.bytes.count
    }

    /// Removes and returns the samples of periods before `period`, or all samples if it is nil, in order.
    mutating func take(before period: ClockPeriodID?) -> [Held] {
        guard let period else {
            defer { self = SampleQueue() }
            return samples
        }
        let ready = samples.filter { $0.period < period }
        samples.removeAll { $0.period < period }
        byteCount = samples.reduce(0) { $0 + $1.bytes.count }
        return ready
    }
}

/// The times of a sample in 90 kHz ticks, the offset that its input added, and the timescale of the sample itself.
struct SampleTimes {
    var dts: Int64
    var pts: Int64
    var duration: Int64
    var origin: Int64
    var timescale: Int32
}

/// Samples of one track after an unannounced jump of its timestamps. They are held until the following timestamps show
/// whether the jump is damage, a gap or a new clock. Times are in 90 kHz ticks, except those of a ``MediaSample``.
struct SuspectSamples {
    struct Held {
        var sample: MediaSample
        var times: SampleTimes
        var input: RemuxInput
        var format: MediaFormat
        var bytes: [UInt8]

        /// Moves the sample to a decoding time. Keeps the presentation time if that brings the composition offset
        /// closer to `offset`; otherwise moves it by the same amount.
        mutating func move(to time: Int64, offset: Int64) {
            let distance = time.subtractingClamped(times.dts)
            let moved = times.pts.addingClamped(distance)
            let target = time.addingClamped(offset)
            let keepsPTS = target.subtractingClamped(times.pts).magnitude < target.subtractingClamped(moved).magnitude
            let ticks = Timescale.convert(distance, from: 90_000, to: times.timescale)
            sample.dts = sample.dts.addingClamped(ticks)
            if !keepsPTS { sample.pts = sample.pts.addingClamped(ticks) }
            sample.pts = max(sample.pts, sample.dts)
            times.dts = time
            times.pts = max(keepsPTS ? times.pts : moved, time)
        }
    }

    /// A decision about the held samples, based on the time of the next sample.
    enum Verdict {
        /// The next sample continues the held samples; no decision yet.
        case open
        /// The times are accepted, because the next sample is after another gap.
        case confirmed
        /// The times are damaged; the next sample continues the samples before the jump.
        case damaged
        /// The times are damaged, and the next sample is doubtful as well.
        case contradicted
    }

    /// The maximum step that's considered jitter.
    static let tolerance: Int64 = 45_000
    private static let maximumBytes = 8 << 20
    private static let maximumSamples = 4096

    private(set) var samples: [Held] = []
    /// The decoding time at which the track was expected to continue.
    private let expected: Int64
    /// The composition offset of the last sample before the jump.
    private let offset: Int64
    /// The total duration that confirms the times, because no single timestamp covers more.
    private let longest: Int64
    private var byteCount = 0
    private var length: Int64 = 0

    init(expected: Int64, offset: Int64, longest: Int64) {
        self.expected = expected
        self.offset = offset
        self.longest = longest
    }

    /// Whether the samples have reached the duration that confirms the times, or the limit in bytes or samples.
    var isFull: Bool {
        length >= longest || byteCount >= Self.maximumBytes || samples.count >= Self.maximumSamples
    }

    mutating func append(_ held: Held) {
        // A picture without a duration lasts until the next one.
        if let last = samples.last, last.times.duration <= 0 {
            length = length.addingClamped(max(0, held.times.dts.subtractingClamped(last.times.dts)))
        }
        samples.append(held)
        byteCount += held.bytes.count
        length = length.addingClamped(max(0, held.times.duration))
    }

    func verdict(onNext dts: Int64) -> Verdict {
        guard let last = samples.last?.times else { return .open }
        let onward = dts.subtractingClamped(last.dts.addingClamped(max(0, last.duration)))
        let back = dts.subtractingClamped(expected.addingClamped(length))
        if back.magnitude <= Self.tolerance, back.magnitude < onward.magnitude { return .damaged }
        if dts < last.dts.subtractingClamped(Self.tolerance) { return .contradicted }
        return onward > Self.tolerance ? .confirmed : .open
    }

    /// The samples with times that continue from the samples before the jump.
    var repaired: [Held] {
        var time = expected
        return samples.indices.map { index in
            var held = samples[index]
            let next = index + 1 < samples.count ? samples[index + 1].times.dts : held.times.dts
            let length =
                held.times.duration > 0 ? held.times.duration : max(0, next.subtractingClamped(held.times.dts))
            held.move(to: time, offset: offset)
            time = time.addingClamped(length)
            return held
        }
    }
}
