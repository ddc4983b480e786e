internal import MediaContainers

extension StreamRemux {
    /// Where reading may go on behind the first part of each input, for an output that begins at a time.
    ///
    /// The first parts tell when presentation begins. Playlists round their durations, so what a part holds decides
    /// whether it's early enough: a key picture, and sound, before the time. Where clocks are joined on the way, or
    /// something can't be read, nothing is passed over.
    ///
    /// - Parameter time: in seconds from the stream's beginning.
    /// - Returns: by input, the index of the part that follows the first one.
    mutating func resumptions(at time: Double) throws(ContainerError) -> [Int] {
        let all = plan.inputs.map { _ in 1 }
        do throws(ContainerError) {
            var heads: [SampleTimes] = []
            for parts in plan.inputs {
                guard let first = parts.first else { return all }
                heads.append(try times(of: [first]))
            }
            let lead = plan.inputs.compactMap(\.first?.start).min() ?? 0
            let zero = (heads.compactMap { $0.shown.min() }.min() ?? 0) - lead
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

    /// - Returns: 1 where nothing can be passed over; nil where clocks are joined on the way.
    private mutating func resumption(
        in parts: [StreamPart], after head: SampleTimes, at time: Double
    ) throws(ContainerError) -> Int? {
        guard var index = parts.lastIndex(where: { $0.start < time }), index > 1 else { return 1 }
        guard parts[index].discontinuities == parts[0].discontinuities else { return nil }
        var step = 1
        while index > 1 {
            let behind = try times(of: [parts[0], parts[index]]).dropping(head.shown.count)
            if behind.beginsBefore(time, asManyTracksAs: head) { return index }
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

/// When samples are shown, in seconds.
private struct SampleTimes: SampleSink {
    /// Decoders of sound need a run-up.
    private static let runUp = 1.0

    private(set) var shown: [Double] = []
    private var samples: [Int] = []
    private var media: [MediaTrack] = []

    mutating func tracks(_ tracks: [MediaTrack]) { media = tracks }

    mutating func sample(_ sample: MediaSample, bytes _: UnsafeRawBufferPointer) {
        shown.append(Double(sample.pts) / Double(media[sample.track].timescale))
        samples.append(sample.track)
    }

    /// The same without the first samples.
    func dropping(_ count: Int) -> SampleTimes {
        var rest = self
        rest.shown.removeFirst(min(count, shown.count))
        rest.samples.removeFirst(min(count, samples.count))
        return rest
    }

    /// Whether every track of `other` begins before a time.
    func beginsBefore(_ time: Double, asManyTracksAs other: SampleTimes) -> Bool {
        Set(other.samples).allSatisfy { track in
            guard let first = samples.firstIndex(of: track) else { return false }
            return shown[first] <= time - (media[track].kind == .video ? 0 : Self.runUp)
        }
    }
}
