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

    /// Makes the samples.
    ///
    /// - Parameters:
    ///   - cues: The cues, in any order; those without duration are left out.
    ///   - range: The time to cover; cues are cut to it.
    public static func samples(of cues: [WebVTTCue], in range: Range<Int64>) -> [Sample] {
        let shown = cues.filter { $0.end > $0.start && $0.start < range.upperBound && $0.end > range.lowerBound }
            .sorted { $0.start < $1.start }
        var times = Set([range.lowerBound, range.upperBound])
        for cue in shown {
            times.insert(max(cue.start, range.lowerBound))
            times.insert(min(cue.end, range.upperBound))
        }
        let boundaries = times.sorted()
        var samples: [Sample] = []
        var active: [WebVTTCue] = []
        var next = 0
        for (start, end) in zip(boundaries, boundaries.dropFirst()) {
            active.removeAll { $0.end <= start }
            while next < shown.count, shown[next].start <= start {
                if shown[next].end > start { active.append(shown[next]) }
                next += 1
            }
            samples.append(Sample(start: start, duration: end - start, bytes: boxes(active)))
        }
        return samples
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
