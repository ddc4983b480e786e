/// Makes samples of a `wvtt` track from cues (ISO/IEC 14496-30, 6.5).
///
/// The samples cover the time without gaps: where cues begin or end a new sample begins, with a `vttc` for each cue that
/// is shown then, or a `vtte` where none is.
public enum WebVTTSampleEncoder {
    /// A sample and its bytes.
    public struct Sample: Sendable, Hashable {
        /// When it begins, in the track's timescale.
        public var start: Int64
        /// How long it lasts.
        public var duration: Int64
        /// Its boxes.
        public var bytes: [UInt8]
    }

    /// So many cues are shown at once, and so many bytes of text: what is shown is written anew for each sample.
    static let mostAtOnce = (cues: 64, bytes: 16 << 10)

    /// Makes the samples, one after the other.
    ///
    /// - Parameters:
    ///   - cues: The cues, in any order; those without duration are left out.
    ///   - range: The time to cover; cues are cut to it.
    ///   - body: Takes a sample.
    /// - Returns: How many cues are left out, since no more can be shown at once when they begin.
    /// - Throws: What `body` throws.
    public static func encode(
        _ cues: [WebVTTCue], in range: Range<Int64>, _ body: (Sample) throws(ContainerError) -> Void
    ) throws(ContainerError) -> Int {
        let asked = cues.filter { $0.end > $0.start && $0.start < range.upperBound && $0.end > range.lowerBound }
            .sorted { $0.start < $1.start }
        let shown = showable(asked)
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
        return asked.count - shown.count
    }

    /// Those of cues in the order of their beginnings that can be shown beside the ones before them.
    private static func showable(_ cues: [WebVTTCue]) -> [WebVTTCue] {
        var active: [(end: Int64, bytes: Int)] = []
        return cues.filter { cue in
            active.removeAll { $0.end <= cue.start }
            let bytes = cue.payload.utf8.count + (cue.identifier?.utf8.count ?? 0) + (cue.settings?.utf8.count ?? 0)
            let isRoom = active.count < mostAtOnce.cues && active.reduce(bytes) { $0 + $1.bytes } <= mostAtOnce.bytes
            if isRoom { active.append((cue.end, bytes)) }
            return isRoom
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
