internal import MediaContainers

extension StreamRemux {
    /// Returns the index of the part with which each input continues after its first part, for an output that begins at
    /// `time`, in seconds from the stream's beginning.
    ///
    /// The first parts determine the beginning of presentation. Durations in playlists are rounded, so the samples of a
    /// part decide whether it's early enough: it must contain a key frame no later than `time`, and audio a second
    /// earlier. No parts are skipped if a discontinuity precedes that part, or if a part can't be read.
    mutating func resumptions(at time: Double) throws(ContainerError) -> [Int] {
        let all = plan.inputs.map { _ in 1 }
        do throws(ContainerError) {
            var heads: [SampleTimes] = []
            for parts in plan.inputs {
                guard let first = parts.first else { return all }
                heads.append(try times(of: [first]))
            }
            let offset = plan.inputs.compactMap(\.first?.start).min() ?? 0
            let zero = (heads.compactMap { $0.shown.min() }.min() ?? 0) - offset
            var found: [Int] = []
            for (parts, head) in zip(plan.inputs, heads) {
                guard let index = try resumption(in: parts, after: head, at: zero + time) else { return all }
                found.append(index)
            }
            return found
        } catch {
            if error.cause is CancellationError { throw error }
            return all
        }
    }

    /// Returns the index of the part that follows the first one: 1 if no part can be skipped; nil if a discontinuity
    /// precedes it.
    private mutating func resumption(
        in parts: [StreamPart], after head: SampleTimes, at time: Double
    ) throws(ContainerError) -> Int? {
        guard var index = parts.lastIndex(where: { $0.start < time }), index > 1 else { return 1 }
        guard parts[index].discontinuities == parts[0].discontinuities else { return nil }
        var step = 1
        while index > 1 {
            let following = try times(of: [parts[0], parts[index]]).dropping(head.shown.count)
            if following.beginsBefore(time, asManyTracksAs: head) { return index }
            index -= step
            step *= 2
        }
        return 1
    }

    private mutating func times(of parts: [StreamPart]) throws(ContainerError) -> SampleTimes {
        var remuxer = Remuxer(into: SampleTimes())
        for (index, part) in parts.enumerated() {
            _ = try append(part, to: &remuxer, input: 0, join: index == 0 ? .continuous : .gap)
        }
        return try remuxer.finish()
    }
}

/// The presentation times of samples, in seconds.
private struct SampleTimes: SampleSink {
    /// The seconds of audio that decoders need before the first output.
    private static let runUp = 1.0

    private(set) var shown: [Double] = []
    private var samples: [Int] = []
    private var media: [MediaTrack] = []

    mutating func tracks(_ tracks: [MediaTrack]) { media = tracks }

    mutating func sample(_ sample: MediaSample, bytes _: UnsafeRawBufferPointer) {
        shown.append(Double(sample.pts) / Double(media[sample.track].timescale))
        samples.append(sample.track)
    }

    func dropping(_ count: Int) -> SampleTimes {
        var rest = self
        rest.shown.removeFirst(min(count, shown.count))
        rest.samples.removeFirst(min(count, samples.count))
        return rest
    }

    /// Returns whether every track of `other` begins by a time; tracks other than video must begin `runUp` s earlier.
    func beginsBefore(_ time: Double, asManyTracksAs other: SampleTimes) -> Bool {
        Set(other.samples).allSatisfy { track in
            guard let first = samples.firstIndex(of: track) else { return false }
            return shown[first] <= time - (media[track].kind == .video ? 0 : Self.runUp)
        }
    }
}
