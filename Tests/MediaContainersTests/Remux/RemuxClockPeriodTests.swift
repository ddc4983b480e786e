import MediaContainers
import Testing

/// Tests of periods with unrelated clocks and different tracks.
struct RemuxClockPeriodTests {
    private enum Content {
        case both, pictures, audio
    }

    /// Returns two seconds of media that start at a timestamp.
    private func segment(_ content: Content, from start: Int64, audioOffset: Int64 = 900) -> MemorySource {
        var builder = TransportStreamBuilder()
        switch content {
        case .both:
            builder.tables()
            builder.play(from: start, frames: 50, audioOffset: audioOffset)
        case .pictures:
            builder.tables([TransportStreamBuilder.both[0]])
            builder.play(from: start, frames: 50, hasAudio: false)
        case .audio:
            builder.tables([TransportStreamBuilder.both[1]])
            for frame in Int64(0)..<94 {
                builder.pes(
                    pid: TransportStreamBuilder.audioPID, pts: start + frame * 1920, TransportStreamBuilder.aac())
            }
        }
        return MemorySource(builder.bytes)
    }

    private func remux(_ contents: [Content]) throws -> SampleRecording {
        var remuxer = Remuxer(into: SampleRecording())
        let clocks: [Int64] = [900_000, 126_000, 270_000, 5_000_000]
        for (index, content) in contents.enumerated() {
            try remuxer.append(segment(content, from: clocks[index]), join: index == 0 ? .continuous : .discontinuity)
        }
        return try remuxer.finish()
    }

    /// Returns presentation times in seconds, relative to the earliest of all tracks.
    private func shown(_ recording: SampleRecording, _ kind: MediaKind) -> [Double] {
        let zero = recording.tracks.indices.map { recording.span($0).lowerBound }.min() ?? 0
        guard let track = recording.tracks.firstIndex(where: { $0.kind == kind }) else { return [] }
        return recording.samples[track].map { Double($0.pts) / Double(recording.tracks[track].timescale) - zero }
    }

    @Test func resumesAudioInSyncWithVideo() throws {
        let recording = try remux([.both, .pictures, .both])
        let (pictures, audio) = (shown(recording, .video), shown(recording, .audio))
        #expect(pictures.count == 150)
        #expect(abs(pictures[100] - pictures[0] - 4) < 0.1)
        let back = try #require(audio.firstIndex { $0 > 2.5 })
        #expect(abs(audio[back] - pictures[100] - (audio[0] - pictures[0])) < 0.001)
    }

    @Test func resumesVideoInSyncWithAudio() throws {
        let recording = try remux([.both, .audio, .both])
        let (pictures, audio) = (shown(recording, .video), shown(recording, .audio))
        #expect(pictures.count == 100)
        #expect(abs(pictures[50] - pictures[0] - 4) < 0.1)
        let back = try #require(audio.firstIndex { $0 > pictures[50] - 0.075 })
        #expect(abs(audio[back] - pictures[50] - (audio[0] - pictures[0])) < 0.001)
    }

    @Test func startsLateVideoInSyncWithAudio() throws {
        let recording = try remux([.audio, .both])
        let (pictures, audio) = (shown(recording, .video), shown(recording, .audio))
        let whole = try remux([.both])
        let offset = shown(whole, .audio)[0] - shown(whole, .video)[0]
        #expect(abs(audio[94] - audio[0] - 94 * 1920 / 90_000) < 0.001)
        #expect(abs(audio[94] - pictures[0] - offset) < 0.001)
    }

    @Test func joinsClockPeriodsWithoutCommonTracks() throws {
        let recording = try remux([.pictures, .audio, .pictures])
        let (pictures, audio) = (shown(recording, .video), shown(recording, .audio))
        #expect(abs(audio[0] - pictures[49] - 0.04) < 0.001)
        let last = try #require(audio.last)
        #expect(pictures[50] > last && pictures[50] < last + 0.1)
    }

    /// Only the playlist states the duration of the media missing between two clocks.
    @Test func preservesMissingDurationBetweenClocks() throws {
        var remuxer = Remuxer(into: SampleRecording())
        try remuxer.append(segment(.both, from: 900_000))
        try remuxer.append(segment(.both, from: 126_000), join: .discontinuity, discontinuities: 2, missing: 4)
        let pictures = shown(try remuxer.finish(), .video)
        #expect(abs(pictures[50] - pictures[0] - 6) < 0.1)
    }

    /// An audio input without segments in one period resumes in sync with the video of the next period.
    @Test func continuesInputsTogether() throws {
        var remuxer = Remuxer(into: SampleRecording(), inputs: 2)
        try remuxer.append(segment(.pictures, from: 900_000), input: 0, discontinuities: 0)
        try remuxer.append(segment(.audio, from: 900_900), input: 1, discontinuities: 0)
        try remuxer.append(segment(.pictures, from: 126_000), input: 0, join: .discontinuity, discontinuities: 1)
        try remuxer.append(segment(.pictures, from: 270_000), input: 0, join: .discontinuity, discontinuities: 2)
        try remuxer.append(
            segment(.audio, from: 270_900), input: 1, join: .discontinuity, discontinuities: 2, missing: 2)
        let recording = try remuxer.finish()
        let (pictures, audio) = (shown(recording, .video), shown(recording, .audio))
        #expect(abs(pictures[100] - pictures[0] - 4) < 0.1)
        #expect(abs(audio[94] - pictures[100] - (audio[0] - pictures[0])) < 0.001)
    }

    @Test func appendsFileWithAnotherClock() throws {
        var remuxer = Remuxer(into: SampleRecording())
        try remuxer.append(segment(.audio, from: 900_000))
        try remuxer.append(segment(.both, from: 126_000), join: .file)
        try remuxer.append(segment(.both, from: 900_000), join: .file)
        let recording = try remuxer.finish()
        let (pictures, audio) = (shown(recording, .video), shown(recording, .audio))
        #expect(recording.tracks.count == 2)
        #expect(pictures[0] > 1.9 && pictures[0] < 2.1)
        #expect(abs(pictures[50] - pictures[0] - 2) < 0.1)
        #expect(zip(audio.dropFirst(), audio).allSatisfy { $0 - $1 < 0.1 })
    }

    /// A recording may be divided at any packet, even within a frame.
    @Test func continuesClockInConsecutiveFiles() throws {
        let whole = segment(.both, from: (1 << 33) - 90_000).contents
        let cut = whole.count / 188 / 2 * 188
        // Each file of a recording begins with the tables.
        let parts = [Array(whole[..<cut]), Array(whole[..<376] + whole[cut...])]
        var remuxer = Remuxer(into: SampleRecording())
        for part in parts { try remuxer.append(MemorySource(part), join: .file) }
        let cutUp = try remuxer.finish()
        var other = Remuxer(into: SampleRecording())
        try other.append(MemorySource(whole))
        #expect(cutUp.samples == (try other.finish()).samples)
    }

    /// Four seconds are missing. A clock that is hours ahead is a different, unannounced one.
    @Test(arguments: [(6, 6), (10_000, 2)]) func limitsGapToMissingDuration(step: Int64, expected: Double) throws {
        var remuxer = Remuxer(into: SampleRecording())
        try remuxer.append(segment(.both, from: 900_000))
        try remuxer.append(segment(.both, from: 900_000 + step * 90_000), join: .gap, missing: 4)
        let pictures = shown(try remuxer.finish(), .video)
        #expect(abs(pictures[50] - pictures[0] - expected) < 0.1)
    }

    /// Without timing in the parameter sets, the duration of the last picture before a jump of the clock is unknown.
    /// The length of the jump must not be used as the duration.
    @Test(arguments: [(900_900_000, .discontinuity), (3_600_000, .gap)] as [(Int64, SegmentJoin)])
    func joinsPicturesWithoutDurationAfterStep(start: Int64, join: SegmentJoin) throws {
        let segments: [(start: Int64, join: SegmentJoin)] = [
            (900_000, .continuous), (start, join), (126_000, .discontinuity),
        ]
        var remuxer = Remuxer(into: SampleRecording())
        for segment in segments {
            var builder = TransportStreamBuilder()
            builder.tables()
            builder.play(from: segment.start, frames: 50, audioOffset: 900, hasTiming: false)
            try remuxer.append(MemorySource(builder.bytes), join: segment.join)
        }
        let pictures = shown(try remuxer.finish(), .video)
        #expect(pictures.count == 150)
        #expect(abs(pictures[100] - pictures[50] - 2) < 0.1)
    }
}
