/// The part of a remuxer that receives samples from the demuxers of the inputs and delivers them on one timeline.
struct RemuxCore<Output: SampleSink>: SampleSink {
    var output: RemuxOutput<Output>
    /// The input whose demuxer is running.
    var input: RemuxInput
    /// The tracks that aren't carried over: data, and codecs that aren't read.
    private(set) var omittedTracks: [MediaTrack] = []
    private(set) var damage = RemuxDamage()
    private var outputs: [OutputTrack] = []
    /// The position of each of `outputs` in the output's list of tracks.
    private var places: [Int] = []
    /// Whether samples are held until every track has begun, so that the list of tracks is in the order of the inputs.
    private var isStarting = true
    private var inputs: [RemuxInput]
    /// Whether the audio of an input is the default.
    private let hasDefault: Bool
    /// Whether video frames before the first keyframe are carried over.
    private let keepsLeadingFrames: Bool
    private(set) var timeline: JoinedTimeline
    private var held = SampleQueue()
    private let reframer = SampleReframer()

    init(output: Output, inputs: [RemuxInput], maximumGap: Int64, keepsLeadingFrames: Bool = false) {
        self.output = RemuxOutput(output)
        self.inputs = inputs
        hasDefault = inputs.contains(where: \.isDefault)
        input = inputs[0]
        timeline = JoinedTimeline(maximumGap: maximumGap)
        self.keepsLeadingFrames = keepsLeadingFrames
    }

    mutating func tracks(_ tracks: [MediaTrack]) throws(ContainerError) {
        input.tracks = tracks
        while input.routes.count < tracks.count { input.routes.append(nil) }
        for track in tracks {
            if !track.isSupported, !omittedTracks.contains(track) { omittedTracks.append(track) }
            guard let protection = track.formats.compactMap(\.protection).first else { continue }
            throw ContainerError(
                .encrypted, "track \(track.id) is encrypted (\(protection.scheme))",
                advice: "SAMPLE-AES and DRM aren't supported")
        }
    }

    mutating func sample(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) throws(ContainerError) {
        guard input.tracks.indices.contains(sample.track) else { return }
        let track = input.tracks[sample.track]
        input.begin(sample.track)
        guard track.formats.indices.contains(sample.formatIndex), track.isSupported else { return }
        guard !input.rejectedTracks.contains(sample.track) else { return }
        let format = track.formats[sample.formatIndex]
        // Frames before the first parameter sets can't be decoded.
        if format.configuration.isEmpty, format.codec.nalUnits != nil { return }
        input.findOrigin()
        let dts = Timescale.convert(sample.dts, from: track.timescale, to: 90_000).addingClamped(input.origin)
        guard let target = try route(sample.track, track, format, at: dts),
            let formatIndex = try formatIndex(format, in: target)
        else { return }
        let duration = Timescale.convert(sample.duration, from: track.timescale, to: 90_000)
        if outputs[target].awaitsSync {
            guard sample.isSync else {
                // A track that still waits for a keyframe occupies its output.
                outputs[target].lastEnd = dts.addingClamped(duration)
                return
            }
            outputs[target].awaitsSync = false
        }
        let pts = Timescale.convert(sample.pts, from: track.timescale, to: 90_000).addingClamped(input.origin)
        var routed = sample
        routed.track = target
        routed.formatIndex = formatIndex
        let times = SampleTimes(
            dts: dts, pts: pts, duration: duration, origin: input.origin, timescale: track.timescale)
        let isExpected = track.kind == .text || timeline.isExpected(target, of: input.index, at: dts)
        guard isExpected, outputs[target].suspects == nil else {
            return try hold(routed, times, isExpected: isExpected, format, bytes)
        }
        try admit(routed, times, of: input, format, bytes)
    }

    private mutating func admit(
        _ sample: MediaSample, _ times: SampleTimes, of input: RemuxInput, _ format: MediaFormat,
        _ bytes: UnsafeRawBufferPointer
    ) throws(ContainerError) {
        let end = times.dts.addingClamped(times.duration)
        outputs[sample.track].lastEnd = end
        input.nextOrigin = end
        input.lastTime = times.dts
        if input.isTolerant, outputs[sample.track].media.kind != .text { input.gapDetector.add(times.dts) }
        let period = timeline.add(
            track: sample.track, of: input.index, dts: times.dts, pts: times.pts, duration: times.duration)
        try convert(sample, times, period, format, bytes)
    }

    // MARK: - Damaged timestamps

    /// The maximum duration that one timestamp covers, which is that of a PES packet or a segment, in 90 kHz ticks.
    private var maximumReach: Int64 { input.transportStream == nil ? 12 * 90_000 : 90_000 }

    /// Holds a sample after an unexpected jump, or resolves the held samples.
    private mutating func hold(
        _ sample: MediaSample, _ times: SampleTimes, isExpected: Bool, _ format: MediaFormat,
        _ bytes: UnsafeRawBufferPointer
    ) throws(ContainerError) {
        let track = sample.track
        switch outputs[track].suspects?.verdict(onNext: times.dts) {
        case .open?, nil: break
        case .confirmed?: try resolveSuspects(of: track, isDamaged: false)
        case .damaged?, .contradicted?: try resolveSuspects(of: track, isDamaged: true)
        }
        if outputs[track].suspects == nil {
            guard !timeline.isExpected(track, of: input.index, at: times.dts) else {
                return try admit(sample, times, of: input, format, bytes)
            }
            let last = timeline.lastTimes(track)
            outputs[track].suspects = SuspectSamples(expected: last.end, offset: last.offset, longest: maximumReach)
        }
        outputs[track].suspects?.append(
            SuspectSamples.Held(
                sample: sample, times: times, input: input, format: format, bytes: [UInt8](copying: bytes)))
        if outputs[track].suspects?.isFull == true { try resolveSuspects(of: track, isDamaged: false) }
    }

    /// Delivers the doubtful samples of a track.
    private mutating func resolveSuspects(of track: Int, isDamaged: Bool) throws(ContainerError) {
        guard let suspects = outputs[track].suspects else { return }
        outputs[track].suspects = nil
        if isDamaged { damage.add(.damagedTimestamp, at: timeline.elapsed(track)) }
        for held in isDamaged ? suspects.repaired : suspects.samples {
            try held.bytes.withBorrowedBytes { (bytes) throws(ContainerError) in
                try admit(held.sample, held.times, of: held.input, held.format, bytes)
            }
        }
    }

    /// Accepts the times of all doubtful samples of the current input, because no samples follow that could confirm or
    /// contradict them.
    mutating func acceptSuspectSamples() throws(ContainerError) {
        for index in outputs.indices where outputs[index].input == input.index {
            try resolveSuspects(of: index, isDamaged: false)
        }
    }

    mutating func diagnostic(_ diagnostic: ContainerDiagnostic) throws(ContainerError) {
        if diagnostic.code == .scrambled {
            try reject(
                ContainerError(
                    .encrypted, diagnostic.summary, at: diagnostic.offset,
                    advice: "Remux an unscrambled recording"))
        }
        if input.hasBegun(diagnostic.track) {
            let own = outputs.indices.filter { outputs[$0].input == input.index }
            damage.add(diagnostic.code, at: own.map { timeline.elapsed($0) }.max() ?? 0)
        }
        try output.diagnostic(diagnostic)
    }

    /// Prepares the tracks of the current input for the next segment. `missing` is in 90 kHz ticks.
    mutating func join(_ join: SegmentJoin, missing: Int64) throws(ContainerError) {
        guard join == .gap || join == .discontinuity else { return }
        try acceptSuspectSamples()
        if join == .discontinuity {
            timeline.leave(input.index, number: input.discontinuities, missing: missing)
            release()
        }
        for index in outputs.indices where outputs[index].input == input.index {
            if join == .gap { timeline.expectGap(index, missing: missing) }
            outputs[index].awaitsSync = awaitsSync(outputs[index].media)
        }
    }

    /// The end of the current input so far, on its clock in 90 kHz ticks; nil if it has no samples.
    var lastEnd: Int64? { outputs.filter { $0.input == input.index && $0.lastEnd > .min }.map(\.lastEnd).max() }

    /// Returns whether frames of a track are dropped until decoding can start.
    private func awaitsSync(_ track: MediaTrack) -> Bool { track.kind == .video && !keepsLeadingFrames }

    /// Allows other tracks of the current input to feed its outputs.
    mutating func release() {
        for index in outputs.indices where outputs[index].input == input.index { outputs[index].feeder = nil }
        for index in input.routes.indices { input.routes[index] = nil }
        input.rejectedTracks = []
    }

    mutating func finish() throws(ContainerError) {
        for index in outputs.indices { try resolveSuspects(of: index, isDamaged: false) }
        try start()
        while let period = timeline.unsettled { timeline.settle(period) }
        try deliverHeld()
        for track in outputs.indices { try deliverBlocks(of: track) }
    }

    // MARK: - Routes

    var codecs: [[MediaKind: Set<Codec>]] {
        var codecs = [[MediaKind: Set<Codec>]](repeating: [:], count: inputs.count)
        for output in outputs {
            codecs[output.input][output.media.kind, default: []].formUnion(output.media.formats.map(\.codec))
        }
        return codecs
    }

    /// Records the first error of the current segment, or throws the error if damage isn't tolerated.
    private func reject(_ error: ContainerError) throws(ContainerError) {
        guard input.isTolerant else { throw error }
        if input.firstError == nil { input.firstError = error }
    }

    /// Returns the output track for an input track, or nil for a codec that isn't carried over.
    private mutating func route(
        _ index: Int, _ track: MediaTrack, _ format: MediaFormat, at dts: Int64
    ) throws(ContainerError) -> Int? {
        if let known = input.routes[index] { return known }
        let feeder = RemuxInput.TrackID(input: input.index, index: index)
        let found = freeOutput(for: track, format, at: dts)
        let first = found.flatMap { outputs[$0].media.formats.first }
        let isOmitted = input.codecs[track.kind]?.contains(format.codec) == false
        if input.isTolerant, isOmitted || first.map({ $0.codec != format.codec }) == true {
            try reject(codecChange(of: track.kind, from: first, to: format, after: found.map { timeline.elapsed($0) }))
            input.rejectedTracks.insert(index)
            return nil
        }
        let target = found ?? outputs.count
        if target == outputs.count {
            var media = track
            media.formats = []
            media.duration = nil
            media.timescale = Self.timescale(track, format)
            if track.kind == .audio {
                input.label(&media)
                if hasDefault { media.isEnabled = input.isDefault }
            }
            outputs.append(
                OutputTrack(media, feeder: feeder, language: track.language, awaitsSync: awaitsSync(media)))
            places.append(places.count)
        }
        outputs[target].feeder = feeder
        input.routes[index] = target
        return target
    }

    /// Returns an output that has no feeder, or that ended more than a second before `dts`, preferring one with the
    /// same codec, id and language.
    private func freeOutput(for track: MediaTrack, _ format: MediaFormat, at dts: Int64) -> Int? {
        let free = outputs.indices.filter { index in
            let candidate = outputs[index]
            guard candidate.input == input.index, candidate.media.kind == track.kind else { return false }
            return candidate.feeder == nil || candidate.lastEnd < dts.addingClamped(-90_000)
        }
        let sameCodec = free.filter { outputs[$0].media.formats.first?.codec == format.codec }
        return sameCodec.first { outputs[$0].media.id == track.id && outputs[$0].language == track.language }
            ?? sameCodec.first { outputs[$0].language == track.language } ?? sameCodec.first ?? free.first
    }

    /// Returns the timescale of an output track: the sample rate for audio from MPEG-TS, otherwise a multiple of the
    /// input's timescale that's precise enough for shifts between periods.
    private static func timescale(_ track: MediaTrack, _ format: MediaFormat) -> Int32 {
        if track.timescale == 90_000, track.kind == .audio, format.sampleRate > 0 {
            return Int32(clamping: format.sampleRate)
        }
        let factor = max(1, 8000 / max(1, track.timescale))
        return track.timescale * factor
    }

    private func codecChange(
        of kind: MediaKind, from first: MediaFormat?, to format: MediaFormat, after elapsed: Int64?
    ) -> ContainerError {
        let before = first?.codecString ?? input.codecs[kind]?.map { "\($0)" }.sorted().joined(separator: ", ") ?? ""
        let position = elapsed.map { elapsed in
            let milliseconds = Timescale.convert(elapsed, from: 90_000, to: 1000)
            return " after \(Double(milliseconds) / 1000) s"
        }
        return ContainerError(
            .unsupported, "the \(kind.rawValue) changes from \(before) to \(format.codecString)\(position ?? "")",
            advice: "Remux the parts before and after into separate files")
    }

    /// Returns the index of a format in an output track, or nil for another codec.
    private mutating func formatIndex(_ format: MediaFormat, in target: Int) throws(ContainerError) -> Int? {
        var stored = format
        stored.framing = .stored
        if let last = outputs[target].media.formats.last, last == stored {
            return outputs[target].media.formats.count - 1
        }
        if let known = outputs[target].media.formats.firstIndex(of: stored) { return known }
        if let first = outputs[target].media.formats.first, first.codec != stored.codec {
            try reject(
                codecChange(of: outputs[target].media.kind, from: first, to: stored, after: timeline.elapsed(target)))
            return nil
        }
        outputs[target].media.formats.append(stored)
        try announce()
        return outputs[target].media.formats.count - 1
    }

    private mutating func announce() throws(ContainerError) {
        guard !isStarting else { return }
        try output.tracks(orderedTracks)
    }

    var orderedTracks: [MediaTrack] {
        outputs.indices.sorted { places[$0] < places[$1] }.map { outputs[$0].media }
    }

    /// Ends the start phase and fixes the order of the tracks.
    private mutating func start() throws(ContainerError) {
        guard isStarting else { return }
        isStarting = false
        let order = outputs.indices.sorted { left, right in
            // The default comes before all other audio, regardless of its input.
            let isAlternative = [left, right].map { index in
                hasDefault && outputs[index].media.kind == .audio && !inputs[outputs[index].input].isDefault
            }
            guard isAlternative[0] == isAlternative[1] else { return isAlternative[1] }
            guard let left = outputs[left].feeder, let right = outputs[right].feeder else { return left < right }
            return (left.input, left.index) < (right.input, right.index)
        }
        for (place, index) in order.enumerated() { places[index] = place }
        if !outputs.isEmpty { try announce() }
    }

    /// Whether every audio and video track of every input has begun.
    private var isComplete: Bool {
        inputs.allSatisfy { input in
            !input.tracks.isEmpty
                && input.tracks.indices.allSatisfy { index in
                    !input.tracks[index].isSupported || input.tracks[index].kind == .text || input.routes[index] != nil
                        || input.rejectedTracks.contains(index)
                }
        }
    }

    // MARK: - Delivery

    /// Converts a sample to the form stored in MP4, and delivers or holds it.
    private mutating func convert(
        _ sample: MediaSample, _ times: SampleTimes, _ period: ClockPeriodID, _ format: MediaFormat,
        _ bytes: UnsafeRawBufferPointer
    ) throws(ContainerError) {
        var part = sample
        let reframer = reframer
        let (origin, timescale) = (times.origin, times.timescale)
        try reframer.reframe(bytes, format) { (stored, count) throws(ContainerError) in
            // A LATM frame may contain several AAC frames of equal duration.
            part.duration = sample.duration / Int64(count)
            part.size = stored.count
            if let shift = timeline.shift(of: period), !isStarting {
                try deliver(part, timescale, shift: shift.addingClamped(origin), stored)
            } else {
                held.append(
                    SampleQueue.Held(
                        period: period, sample: part, timescale: timescale, origin: origin,
                        bytes: [UInt8](copying: stored)))
            }
            part.dts = part.dts.addingClamped(part.duration)
            part.pts = part.pts.addingClamped(part.duration)
        }
        if !held.isEmpty { try settle() }
    }

    private mutating func deliver(
        _ sample: MediaSample, _ timescale: Int32, shift: Int64, _ bytes: UnsafeRawBufferPointer
    ) throws(ContainerError) {
        let found: MediaSample?
        do throws(ContainerError) {
            found = try outputs[sample.track].rebase(sample, from: timescale, shift: shift)
        } catch {
            // The periods together exceed the longest possible file.
            return try reject(error)
        }
        guard var placed = found else { return }
        placed.track = places[sample.track]
        if case .eac3 = outputs[sample.track].media.formats[placed.formatIndex].codec,
            !outputs[sample.track].blocks.canBypass(with: bytes)
        {
            try gather(placed, bytes, in: sample.track)
        } else {
            try output.sample(placed, bytes: bytes)
        }
    }

    /// Adds a frame to the previous frames, and delivers them once they form a sample.
    private mutating func gather(
        _ sample: MediaSample, _ bytes: UnsafeRawBufferPointer, in track: Int
    ) throws(ContainerError) {
        if !outputs[track].blocks.continues(with: sample) { try deliverBlocks(of: track) }
        outputs[track].blocks.append(sample, bytes)
        if outputs[track].blocks.isComplete { try deliverBlocks(of: track) }
    }

    private mutating func deliverBlocks(of track: Int) throws(ContainerError) {
        guard let (sample, bytes) = outputs[track].blocks.take() else { return }
        try bytes.withBorrowedBytes { (bytes) throws(ContainerError) in try output.sample(sample, bytes: bytes) }
    }

    /// Computes the shifts that can be determined, and delivers the samples that waited for them.
    private mutating func settle() throws(ContainerError) {
        if isStarting, isComplete || held.isFull {
            try start()
            try deliverHeld()
        }
        guard !isStarting else { return }
        while let period = timeline.unsettled, timeline.isComplete(period) || held.isFull {
            timeline.settle(period)
            try deliverHeld()
        }
    }

    private mutating func deliverHeld() throws(ContainerError) {
        for entry in held.take(before: timeline.unsettled) {
            guard let shift = timeline.shift(of: entry.period) else { continue }
            try entry.bytes.withBorrowedBytes { (bytes) throws(ContainerError) in
                try deliver(entry.sample, entry.timescale, shift: shift.addingClamped(entry.origin), bytes)
            }
        }
    }
}
