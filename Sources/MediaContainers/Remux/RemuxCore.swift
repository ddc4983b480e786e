/// The part of a remuxer that takes samples from the inputs' demuxers and hands them out on one line of time.
struct RemuxCore<Output: SampleSink>: SampleSink {
    var output: Output
    /// The input whose demuxer is at work.
    var input: RemuxInput
    /// Tracks of data and of codecs that aren't read, which aren't carried over.
    private(set) var leftOut: [MediaTrack] = []
    /// What was wrong with the segments.
    private(set) var damage = RemuxDamage()
    private var outputs: [OutputTrack] = []
    /// The place of each of `outputs` in the list that the output gets.
    private var places: [Int] = []
    /// At the start samples are held until every track has begun, so that the list is in the order of the inputs.
    private var isStarting = true
    private var inputs: [RemuxInput]
    /// Whether the sound of one of them is the default.
    private let hasDefault: Bool
    private var timeline: JoinedTimeline
    private var held = HeldSamples()
    private let reframer = SampleReframer()

    init(output: Output, inputs: [RemuxInput], longestGap: Int64) {
        self.output = output
        self.inputs = inputs
        hasDefault = inputs.contains(where: \.isDefault)
        input = inputs[0]
        timeline = JoinedTimeline(longestGap: longestGap)
    }

    mutating func tracks(_ tracks: [MediaTrack]) throws(ContainerError) {
        input.tracks = tracks
        while input.routes.count < tracks.count { input.routes.append(nil) }
        for track in tracks {
            if !track.isRead, !leftOut.contains(track) { leftOut.append(track) }
            guard let protection = track.formats.compactMap(\.protection).first else { continue }
            throw ContainerError(
                .encrypted, "track \(track.id) is encrypted (\(protection.scheme))",
                advice: "SAMPLE-AES and DRM can't be undone here")
        }
    }

    mutating func sample(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) throws(ContainerError) {
        guard input.tracks.indices.contains(sample.track) else { return }
        let track = input.tracks[sample.track]
        input.begin(sample.track)
        guard track.formats.indices.contains(sample.formatIndex), track.isRead else { return }
        let format = track.formats[sample.formatIndex]
        // Pictures before the first parameter sets can't be decoded.
        if format.configuration.isEmpty, format.codec == .avc || format.codec == .hevc { return }
        input.findOrigin()
        let dts = Timescale.convert(sample.dts, from: track.timescale, to: 90_000).addingClamped(input.origin)
        let target = route(sample.track, track, format, at: dts)
        let formatIndex = try formatIndex(format, in: target)
        if outputs[target].awaitsSync {
            guard sample.isSync else { return }
            outputs[target].awaitsSync = false
        }
        let pts = Timescale.convert(sample.pts, from: track.timescale, to: 90_000).addingClamped(input.origin)
        let duration = Timescale.convert(sample.duration, from: track.timescale, to: 90_000)
        outputs[target].lastEnd = dts + duration
        input.nextOrigin = dts + duration
        let stretch = timeline.take(track: target, of: input.index, dts: dts, pts: pts, duration: duration)
        var routed = sample
        routed.track = target
        routed.formatIndex = formatIndex
        try hand(routed, track.timescale, stretch, format, bytes)
    }

    mutating func diagnostic(_ diagnostic: ContainerDiagnostic) throws(ContainerError) {
        if diagnostic.code == .scrambled {
            throw ContainerError(
                .encrypted, diagnostic.what, at: diagnostic.offset, advice: "Scrambled programmes can't be remuxed")
        }
        if input.hasBegun(diagnostic.track) {
            let own = outputs.indices.filter { outputs[$0].input == input.index }
            damage.add(diagnostic.code, at: own.map { timeline.elapsed($0) }.max() ?? 0)
        }
        try output.diagnostic(diagnostic)
    }

    /// Tells the tracks of the input at work that the next segment joins in this way.
    ///
    /// - Parameter missing: What isn't there before it, in ticks of 90 kHz.
    mutating func join(_ join: SegmentJoin, missing: Int64) {
        guard join == .gap || join == .discontinuity else { return }
        if join == .discontinuity {
            timeline.leave(input.index, number: input.discontinuities, missing: missing)
            release()
        }
        for index in outputs.indices where outputs[index].input == input.index {
            if join == .gap { timeline.expectGap(index) }
            outputs[index].awaitsSync = outputs[index].media.kind == .video
        }
    }

    /// The end of what came of the input at work, on its clock in ticks of 90 kHz; nil where nothing did.
    var lastEnd: Int64? { outputs.filter { $0.input == input.index && $0.lastEnd > .min }.map(\.lastEnd).max() }

    /// Lets other tracks of the input feed its outputs.
    mutating func release() {
        for index in outputs.indices where outputs[index].input == input.index { outputs[index].feeder = nil }
        for index in input.routes.indices { input.routes[index] = nil }
    }

    /// Hands out what is held.
    mutating func finish() throws(ContainerError) {
        try start()
        while let stretch = timeline.unsettled { timeline.settle(stretch) }
        try handOutHeld()
        for track in outputs.indices { try handOutBlocks(of: track) }
    }

    // MARK: - Routes

    /// The output's track for one of the input's.
    private mutating func route(
        _ index: Int, _ track: MediaTrack, _ format: MediaFormat, at dts: Int64
    ) -> Int {
        if let known = input.routes[index] { return known }
        let feeder = RemuxInput.TrackID(input: input.index, index: index)
        let target = free(for: track, format, at: dts) ?? outputs.count
        if target == outputs.count {
            var media = track
            media.formats = []
            media.duration = nil
            media.timescale = Self.timescale(track, format)
            if track.kind == .audio {
                input.label(&media)
                if hasDefault { media.isEnabled = input.isDefault }
            }
            outputs.append(OutputTrack(media, feeder: feeder, language: track.language))
            places.append(places.count)
        }
        outputs[target].feeder = feeder
        input.routes[index] = target
        return target
    }

    /// An output that nothing feeds any more: best with the same id, at least of the same kind.
    private func free(for track: MediaTrack, _ format: MediaFormat, at dts: Int64) -> Int? {
        let free = outputs.indices.filter { index in
            let candidate = outputs[index]
            guard candidate.input == input.index, candidate.media.kind == track.kind else { return false }
            return candidate.feeder == nil || candidate.lastEnd < dts.addingClamped(-90_000)
        }
        let sameCodec = free.filter { outputs[$0].media.formats.first?.codec == format.codec }
        return sameCodec.first { outputs[$0].media.id == track.id && outputs[$0].language == track.language }
            ?? sameCodec.first { outputs[$0].language == track.language } ?? sameCodec.first ?? free.first
    }

    /// Sound has ticks of a sample each; coarse scales are made finer, so that moves between stretches fit.
    private static func timescale(_ track: MediaTrack, _ format: MediaFormat) -> Int32 {
        if track.timescale == 90_000, track.kind == .audio, format.sampleRate > 0 {
            return Int32(clamping: format.sampleRate)
        }
        let factor = max(1, 8000 / max(1, track.timescale))
        return track.timescale * factor
    }

    private mutating func formatIndex(_ format: MediaFormat, in target: Int) throws(ContainerError) -> Int {
        var stored = format
        stored.framing = .stored
        if let last = outputs[target].media.formats.last, last == stored {
            return outputs[target].media.formats.count - 1
        }
        if let known = outputs[target].media.formats.firstIndex(of: stored) { return known }
        if let first = outputs[target].media.formats.first, first.codec != stored.codec {
            let milliseconds = Timescale.convert(timeline.elapsed(target), from: 90_000, to: 1000)
            throw ContainerError(
                .unsupported,
                "the \(outputs[target].media.kind.rawValue) changes from \(first.codecString) to "
                    + "\(stored.codecString) after \(Double(milliseconds) / 1000) s",
                advice: "Remux the parts before and after into files of their own")
        }
        outputs[target].media.formats.append(stored)
        try announce()
        return outputs[target].media.formats.count - 1
    }

    private mutating func announce() throws(ContainerError) {
        guard !isStarting else { return }
        try output.tracks(orderedTracks)
    }

    /// The tracks as the output has them.
    var orderedTracks: [MediaTrack] {
        outputs.indices.sorted { places[$0] < places[$1] }.map { outputs[$0].media }
    }

    /// The stretches of time that were joined.
    var stretches: [JoinedStretch] { timeline.joined }

    /// Ends the start: fixes the order of the tracks.
    private mutating func start() throws(ContainerError) {
        guard isStarting else { return }
        isStarting = false
        let order = outputs.indices.sorted { left, right in
            // The default comes before all other sound, whichever input it's of.
            let comeLater = [left, right].map { index in
                hasDefault && outputs[index].media.kind == .audio && !inputs[outputs[index].input].isDefault
            }
            guard comeLater[0] == comeLater[1] else { return comeLater[1] }
            guard let left = outputs[left].feeder, let right = outputs[right].feeder else { return left < right }
            return (left.input, left.index) < (right.input, right.index)
        }
        for (place, index) in order.enumerated() { places[index] = place }
        if !outputs.isEmpty { try announce() }
    }

    /// Whether every track of sound or picture of every input has begun.
    private var isComplete: Bool {
        inputs.allSatisfy { input in
            !input.tracks.isEmpty
                && zip(input.tracks, input.routes).allSatisfy { !$0.isRead || $0.kind == .text || $1 != nil }
        }
    }

    // MARK: - Handing out

    /// Puts a sample into the form that MP4 stores, and hands it out or holds it.
    private mutating func hand(
        _ sample: MediaSample, _ timescale: Int32, _ stretch: StretchID, _ format: MediaFormat,
        _ bytes: UnsafeRawBufferPointer
    ) throws(ContainerError) {
        var part = sample
        let reframer = reframer
        let origin = input.origin
        try reframer.reframe(bytes, format) { (stored, count) throws(ContainerError) in
            // A frame of LATM may hold several of AAC, each as long as the others.
            part.duration = sample.duration / Int64(count)
            part.size = stored.count
            if let shift = timeline.shift(of: stretch), !isStarting {
                try handOut(part, timescale, shift: shift + origin, stored)
            } else {
                held.append(
                    HeldSamples.Held(
                        stretch: stretch, sample: part, timescale: timescale, origin: origin,
                        bytes: [UInt8](copying: stored)))
            }
            part.dts += part.duration
            part.pts += part.duration
        }
        if !held.isEmpty { try settle() }
    }

    private mutating func handOut(
        _ sample: MediaSample, _ timescale: Int32, shift: Int64, _ bytes: UnsafeRawBufferPointer
    ) throws(ContainerError) {
        guard var placed = outputs[sample.track].place(sample, from: timescale, shift: shift) else { return }
        placed.track = places[sample.track]
        if case .eac3 = outputs[sample.track].media.formats[placed.formatIndex].codec,
            !outputs[sample.track].blocks.isUnneeded(for: bytes)
        {
            try gather(placed, bytes, in: sample.track)
        } else {
            try output.sample(placed, bytes: bytes)
        }
    }

    /// Puts a frame to those before it, and hands them out once they are a sample.
    private mutating func gather(
        _ sample: MediaSample, _ bytes: UnsafeRawBufferPointer, in track: Int
    ) throws(ContainerError) {
        if !outputs[track].blocks.continues(with: sample) { try handOutBlocks(of: track) }
        outputs[track].blocks.append(sample, bytes)
        if outputs[track].blocks.isComplete { try handOutBlocks(of: track) }
    }

    private mutating func handOutBlocks(of track: Int) throws(ContainerError) {
        guard let (sample, bytes) = outputs[track].blocks.take() else { return }
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(ContainerError) in try output.sample(sample, bytes: bytes) }
        }
        try result.get()
    }

    /// Fixes the shifts that can be, and hands out what waited for them.
    private mutating func settle() throws(ContainerError) {
        if isStarting, isComplete || held.isFull {
            try start()
            try handOutHeld()
        }
        guard !isStarting else { return }
        while let stretch = timeline.unsettled, timeline.isComplete(stretch) || held.isFull {
            timeline.settle(stretch)
            try handOutHeld()
        }
    }

    private mutating func handOutHeld() throws(ContainerError) {
        for waiting in held.take(before: timeline.unsettled) {
            guard let shift = timeline.shift(of: waiting.stretch) else { continue }
            let result = waiting.bytes.withUnsafeBytes { bytes in
                Result { () throws(ContainerError) in
                    try handOut(waiting.sample, waiting.timescale, shift: shift + waiting.origin, bytes)
                }
            }
            try result.get()
        }
    }
}
