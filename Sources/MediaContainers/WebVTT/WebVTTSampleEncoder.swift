/// An encoder that turns cues into samples of a `wvtt` track (ISO/IEC 14496-30).
///
/// The samples cover the whole range. A new sample begins wherever cues begin or end. Each sample contains a `vttc` for
/// each visible cue, or a `vtte` if there is none.
public enum WebVTTSampleEncoder {
    /// A sample with its bytes.
    public struct Sample: Sendable, Hashable {
        /// The start in the timescale of the track.
        public var start: Int64
        /// The duration in the timescale of the track.
        public var duration: Int64
        /// The boxes of the sample.
        public var bytes: [UInt8]
    }

    /// The maximum number and total size in bytes of simultaneous cues, since each sample repeats all visible cues.
    static let limits = (cues: 64, bytes: 16 << 10)

    /// Encodes cues in any order, and passes the samples of a time range to a closure in order. Cues are clipped to the
    /// range, and those without a duration are ignored. Returns the number of cues omitted because of the limits on
    /// simultaneous cues.
    public static func encode(
        _ cues: [WebVTTCue], in range: Range<Int64>, _ body: (Sample) throws(ContainerError) -> Void
    ) throws(ContainerError) -> Int {
        let candidates = cues.filter { $0.end > $0.start && $0.start < range.upperBound && $0.end > range.lowerBound }
            .sorted { $0.start < $1.start }
        let shown = withinLimits(candidates)
        var times = Set([range.lowerBound, range.upperBound])
        for cue in shown {
            times.insert(max(cue.start, range.lowerBound))
            times.insert(min(cue.end, range.upperBound))
        }
        let boundaries = times.sorted()
        var active: [WebVTTCue] = []
        var next = 0
        for (start, end) in zip(boundaries, boundaries.dropFirst()) {
            active.removeAll { $0.end <= start }
            while next < shown.count, shown[next].start <= start {
                if shown[next].end > start { active.append(shown[next]) }
                next += 1
            }
            try body(Sample(start: start, duration: end - start, bytes: boxes(active)))
        }
        return candidates.count - shown.count
    }

    /// Returns the cues that fit the limits together with the cues before them. `cues` are sorted by start.
    private static func withinLimits(_ cues: [WebVTTCue]) -> [WebVTTCue] {
        var active: [(end: Int64, bytes: Int)] = []
        return cues.filter { cue in
            active.removeAll { $0.end <= cue.start }
            let bytes = cue.payload.utf8.count + (cue.identifier?.utf8.count ?? 0) + (cue.settings?.utf8.count ?? 0)
            let fits = active.count < limits.cues && active.reduce(bytes) { $0 + $1.bytes } <= limits.bytes
            if fits { active.append((cue.end, bytes)) }
            return fits
        }
    }

    private static func boxes(_ cues: [WebVTTCue]) -> [UInt8] {
        var bytes: [UInt8] = []
        guard !cues.isEmpty else {
            bytes.appendBox("vtte") { (_: inout [UInt8]) in }
            return bytes
        }
        for cue in cues {
            bytes.appendBox("vttc") { bytes in
                if let identifier = cue.identifier { bytes.appendBox("iden") { $0 += Array(identifier.utf8) } }
                if let settings = cue.settings { bytes.appendBox("sttg") { $0 += Array(settings.utf8) } }
                bytes.appendBox("payl") { $0 += Array(cue.payload.utf8) }
            }
        }
        return bytes
    }
}
