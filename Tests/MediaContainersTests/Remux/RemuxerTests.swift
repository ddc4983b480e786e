import MediaContainers
import Testing

struct RemuxerTests {
    private struct Part {
        var join = SegmentJoin.continuous
        var bytes: [UInt8]
    }

    private func part(_ join: SegmentJoin = .continuous, _ build: (inout TransportStreamBuilder) -> Void) -> Part {
        var builder = TransportStreamBuilder()
        builder.tables()
        build(&builder)
        return Part(join: join, bytes: builder.bytes)
    }

    private func remux(_ parts: [Part]) throws -> SampleRecording {
        var remuxer = Remuxer(into: SampleRecording())
        for part in parts { try remuxer.append(MemorySource(part.bytes), join: part.join) }
        return try remuxer.finish()
    }

    private func times(_ recording: SampleRecording, _ kind: MediaKind) -> [Double] {
        guard let track = recording.tracks.firstIndex(where: { $0.kind == kind }) else { return [] }
        return recording.samples[track].map { Double($0.dts) / Double(recording.tracks[track].timescale) }
    }

    private func steps(_ times: [Double]) -> [Double] { zip(times.dropFirst(), times).map { $0 - $1 } }

    @Test func joinsClockPeriodsWithDifferentClocks() throws {
        let recording = try remux([
            part { $0.play(from: 8_000_000_000, frames: 50, audioOffset: 900) },
            part(.discontinuity) { $0.play(from: 90_000, frames: 50, audioOffset: 900) },
        ])
        let pictures = times(recording, .video)
        #expect(pictures.count == 100)
        // The first period's audio ends at most two frames after its video. There is no other gap.
        #expect(steps(pictures).allSatisfy { $0 >= 0.0399 && $0 <= 0.083 })
        #expect(steps(times(recording, .audio)).allSatisfy { $0 > 0.0212 && $0 < 0.0641 })
    }

    @Test func preservesAudioOffsetInEachClockPeriod() throws {
        let recording = try remux([
            part { $0.play(from: 0, frames: 50, audioOffset: 1234) },
            part(.discontinuity) { $0.play(from: 5_000_000, frames: 50, audioOffset: -2345) },
        ])
        let pictures = times(recording, .video)
        let audio = times(recording, .audio)
        #expect(abs(audio[0] - pictures[0] - 1234 / 90_000) < 0.001)
        let first = try #require(audio.firstIndex { $0 > pictures[50] - 0.03 && $0 < pictures[50] - 0.02 })
        #expect(abs(audio[first] - pictures[50] + 2345 / 90_000) < 0.001)
    }

    @Test func joinsClockThatGoesBackUnannounced() throws {
        let recording = try remux([
            part { $0.play(from: 900_000, frames: 50) }, part { $0.play(from: 900_000, frames: 50) },
        ])
        #expect(steps(times(recording, .video)).allSatisfy { $0 > 0 && $0 < 0.09 })
        #expect(times(recording, .video).count == 100)
    }

    @Test func preservesGapOfMissingSegments() throws {
        let recording = try remux([
            part { $0.play(from: 0, frames: 25) }, part(.gap) { $0.play(from: 90_000 * 31, frames: 25) },
        ])
        let pictures = times(recording, .video)
        #expect(abs(pictures[25] - pictures[24] - 30.04) < 0.001)
        #expect(abs((steps(times(recording, .audio)).max() ?? 0) - 30.02) < 0.05)
    }

    @Test func unwrapsTimestampsInClockPeriod() throws {
        let start: Int64 = (1 << 33) - 90_000 * 90
        let recording = try remux([
            part { $0.play(from: start, frames: 25 * 60) },
            part { $0.play(from: start + 90_000 * 60, frames: 1500) },
        ])
        #expect(times(recording, .video).count == 3000)
        #expect(steps(times(recording, .video)).allSatisfy { abs($0 - 0.04) < 0.0001 })
        // Audio frames of 1,024 samples are contiguous.
        let audio = recording.samples[1]
        #expect(recording.tracks[1].timescale == 48_000)
        let uneven = zip(audio.dropFirst(), audio).count { $0.dts - $1.dts != 1024 }
        #expect(uneven <= 1)
    }

    @Test func omitsPicturesBeforeKeyframe() throws {
        let whole = part { $0.play(from: 0, frames: 20) }
        var cut = whole
        // The tables, then the data that follows the first keyframe.
        cut.bytes = Array(whole.bytes[..<376]) + Array(whole.bytes[(376 + 188 * 2)...])
        let recording = try remux([cut])
        #expect(recording.samples[0].first?.isSync == true)
        #expect(recording.samples[0].count == 15)
    }

    @Test func addsSampleDescriptionForNewParameterSets() throws {
        let recording = try remux([
            part { $0.play(from: 0, frames: 25) },
            part(.discontinuity) { $0.play(from: 0, frames: 25, wide: true) },
        ])
        #expect(recording.tracks.count == 2)
        #expect(recording.tracks[0].formats.map(\.width) == [32, 64])
        #expect(recording.samples[0].last?.formatIndex == 1)
    }

    @Test func reportsTimeOfAudioCodecChange() throws {
        let ac3 = part(.discontinuity) { builder in
            builder.tables([TransportStreamBuilder.Stream(pid: 0x101, type: 0x81)], version: 1)
            for index in 0..<20 {
                let frame: [UInt8] =
                    [0x0B, 0x77, 0, 0, 0x02, 0x40, 0x2F, 0x84] + [UInt8](repeating: 9, count: 160 - 8)
                builder.pes(pid: 0x101, pts: Int64(index) * 2880, frame)
            }
        }
        let error = #expect(throws: ContainerError.self) {
            try remux([part { $0.play(from: 90_000 * 7, frames: 5) }, ac3])
        }
        #expect(error?.code == .unsupported)
        // The reported time is the duration of the audio before the change, not a time on the clock.
        #expect(error?.summary.contains("mp4a.40.2 to ac-3 after 0.213 s") == true, "\(error?.summary ?? "")")
    }

    @Test func reportsTimeOfVideoCodecChange() throws {
        let other = part(.discontinuity) { builder in
            builder.tables([TransportStreamBuilder.Stream(pid: 0x100, type: 0x24)], version: 1)
            for index in 0..<3 {
                builder.pes(pid: 0x100, pts: Int64(index) * 3600, isBounded: false, ElementarySamples.hevc)
            }
        }
        let error = #expect(throws: ContainerError.self) {
            try remux([part { $0.play(from: 900_000, frames: 50, hasAudio: false) }, other])
        }
        #expect(error?.code == .unsupported && error?.advice?.contains("separate files") == true)
        let words = error?.summary.replacing(/(avc1|hvc1)\.[A-Za-z0-9.]+/) { $0.output.1 }
        #expect(words == "the video changes from avc1 to hvc1 after 2.0 s")
    }

    @Test func rejectsScrambledStreams() throws {
        let scrambled = part { builder in
            builder.packet(pid: 0x100, [UInt8](repeating: 1, count: 184), startsUnit: true, scrambling: 3)
        }
        let error = #expect(throws: ContainerError.self) { try remux([scrambled]) }
        #expect(error?.code == .encrypted)
    }

    @Test(arguments: [
        (UInt8(0x82), "DTS (stream type 0x82)", MediaKind.audio), (0x10, "MPEG-4 Visual (stream type 0x10)", .video),
        (0xC8, "stream type 0xC8", .data),
    ])
    func reportsUnsupportedStreamTypes(type: UInt8, name: String, kind: MediaKind) throws {
        var builder = TransportStreamBuilder()
        builder.tables([TransportStreamBuilder.both[0], TransportStreamBuilder.Stream(pid: 0x150, type: type)])
        builder.play(from: 900_000, frames: 25, hasAudio: false)
        var remuxer = Remuxer(into: SampleRecording())
        try remuxer.append(MemorySource(builder.bytes))
        let output = try remuxer.finish()
        #expect(output.tracks.map(\.kind) == [.video])
        #expect(remuxer.omittedTracks.map(\.id) == [0x150])
        #expect(remuxer.omittedTracks.map(\.kind) == [kind])
        #expect(remuxer.omittedTracks.first?.format?.name == name)
    }

    @Test func rejectsSampleAES() throws {
        let encrypted = part { $0.tables([TransportStreamBuilder.Stream(pid: 0x100, type: 0xDB)], version: 1) }
        let error = #expect(throws: ContainerError.self) { try remux([encrypted]) }
        #expect(error?.code == .encrypted)
    }

    /// Frames of another codec don't count as damaged frames of the previous codec.
    @Test func reportsCodecChangeOfPackedAudio() throws {
        let dolby = Part(bytes: Array(ElementarySamples.enhancedAC3))
        let mp3 = Part(bytes: (0..<20).flatMap { _ in [0xFF, 0xFB, 0x90, 0x00] + [UInt8](repeating: 0, count: 413) })
        for parts in [[dolby, mp3], [mp3, dolby]] {
            let error = #expect(throws: ContainerError.self) { try remux(parts) }
            #expect(error?.code == .unsupported)
            #expect(error?.summary.contains("changes from") == true, "\(String(describing: error))")
        }
    }

    @Test(arguments: [
        ("<!DOCTYPE html><html><body>Sign in</body></html>", "the segment is text, not media"),
        ("", "the segment is empty"),
        ("WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n", "the segment contains only subtitles (WebVTT)"),
        ("\u{FEFF}WEBVTT\n", "the segment contains only subtitles (WebVTT)"),
    ])
    func reportsSegmentWithoutMedia(text: String, summary: String) {
        let error = #expect(throws: ContainerError.self) { try remux([Part(bytes: Array(text.utf8))]) }
        #expect(error?.code == .notThisFormat)
        #expect(error?.summary == summary)
    }

    @Test func combinesVideoAndAudioInputs() throws {
        var pictures = TransportStreamBuilder()
        pictures.tables([TransportStreamBuilder.both[0]])
        pictures.play(from: 900_000, frames: 25, hasAudio: false)
        var tag: [UInt8] = Array("PRIV".utf8) + [0, 0, 0, 53, 0, 0]
        tag += Array("com.apple.streaming.transportStreamTimestamp".utf8) + [0, 0, 0, 0, 0, 0, 0x0D, 0xBB, 0xA0]
        let audio =
            [0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 0, UInt8(tag.count)] + tag
            + (0..<40).flatMap { _ in TransportStreamBuilder.aac() }
        var remuxer = Remuxer(into: SampleRecording(), inputs: 2)
        try remuxer.append(MemorySource(pictures.bytes), input: 0)
        try remuxer.append(MemorySource(audio), input: 1)
        let recording = try remuxer.finish()
        #expect(recording.tracks.map(\.kind) == [.video, .audio])
        #expect(times(recording, .video).first == 10)
        #expect(times(recording, .audio).first == 10)
        #expect(recording.samples[1].count == 40)
        #expect(recording.samples[1].first?.size == 60)
    }

    /// Creates a file with one audio track and an optional language.
    private func audio(_ language: String?, _ payload: UInt8) -> [UInt8] {
        var builder = TransportStreamBuilder()
        let descriptors: [UInt8] = language.map { [UInt8]([0x0A, 4]) + Array($0.utf8) + [0] } ?? []
        builder.tables([TransportStreamBuilder.Stream(pid: 0x101, type: 0x0F, descriptors: descriptors)])
        for index in 0..<10 { builder.pes(pid: 0x101, pts: Int64(index) * 1920, TransportStreamBuilder.aac(payload)) }
        return builder.bytes
    }

    /// The playlist's labels take precedence over those of the tracks, and the default comes first.
    @Test func appliesAudioLabelsOfPlaylist() throws {
        var pictures = TransportStreamBuilder()
        pictures.tables([TransportStreamBuilder.both[0]])
        pictures.play(from: 0, frames: 25, hasAudio: false)
        let labels = [
            nil, TrackLabel(language: "en", name: "English"), TrackLabel(name: "Original", isDefault: true),
            TrackLabel(language: "und", name: ""),
        ]
        var remuxer = Remuxer(into: SampleRecording(), inputs: 4, audioLabels: labels)
        try remuxer.append(MemorySource(pictures.bytes), input: 0)
        for (index, language) in ["fra", "deu", nil].enumerated() {
            try remuxer.append(MemorySource(audio(language, UInt8(index + 1))), input: index + 1)
        }
        let recording = try remuxer.finish()
        #expect(recording.tracks.map(\.kind) == [.video, .audio, .audio, .audio])
        #expect(recording.tracks.map(\.language) == [nil, "deu", "en", nil])
        #expect(recording.tracks.map(\.name) == [nil, "Original", "English", nil])
        #expect(recording.tracks.map(\.isEnabled) == [true, true, false, false])
        #expect(Set(recording.checksums[1]) != Set(recording.checksums[2]))
    }

    /// If an input has several audio tracks, a label's language applies only to tracks without one, and its name to
    /// none.
    @Test func preservesLanguagesOfSeveralAudioTracks() throws {
        var builder = TransportStreamBuilder()
        let streams = [("deu", 0x101), ("", 0x102)].map { language, pid in
            TransportStreamBuilder.Stream(
                pid: pid, type: 0x0F, descriptors: language.isEmpty ? [] : [0x0A, 4] + Array(language.utf8) + [0])
        }
        builder.tables(streams)
        for index in 0..<10 {
            for pid in [0x101, 0x102] { builder.pes(pid: pid, pts: Int64(index) * 1920, TransportStreamBuilder.aac(1)) }
        }
        var remuxer = Remuxer(into: SampleRecording(), audioLabels: [TrackLabel(language: "en", name: "English")])
        try remuxer.append(MemorySource(builder.bytes))
        let tracks = try remuxer.finish().tracks
        #expect(tracks.map(\.language) == ["deu", "en"])
        #expect(tracks.map(\.name) == [nil, nil])
    }

    @Test func separatesSeveralAudioTracks() throws {
        var builder = TransportStreamBuilder()
        let languages = [("eng", 0x101), ("deu", 0x102)].map { language, pid in
            TransportStreamBuilder.Stream(pid: pid, type: 0x0F, descriptors: [0x0A, 4] + Array(language.utf8) + [0])
        }
        for turn in 0..<2 {
            builder.tables(turn == 0 ? languages : languages.reversed(), version: UInt8(turn))
            for index in 0..<10 {
                let time = Int64(turn * 10 + index) * 1920
                builder.pes(pid: 0x101, pts: time, TransportStreamBuilder.aac(1))
                builder.pes(pid: 0x102, pts: time, TransportStreamBuilder.aac(2))
            }
        }
        let recording = try remux([Part(bytes: builder.bytes)])
        #expect(recording.tracks.map(\.language) == ["eng", "deu"])
        #expect(recording.samples.map(\.count) == [20, 20])
        #expect(recording.checksums.allSatisfy { Set($0).count == 1 })
    }

    @Test func separatesVideoTracksThatAwaitKeyframe() throws {
        let pids = [0x100, 0x110]
        let key = TransportStreamBuilder.picture(isKey: true)
        // Parameter sets before a picture that isn't a keyframe.
        let first = [UInt8](key.dropLast(204)) + [0x41, 0x9A, 0x3B, 0x01] + [UInt8](key.suffix(200))
        var builder = TransportStreamBuilder()
        builder.tables(pids.map { TransportStreamBuilder.Stream(pid: $0, type: 0x1B) })
        for index in 0..<20 {
            let picture = index < 3 ? first : TransportStreamBuilder.picture(isKey: index == 3)
            for pid in pids { builder.pes(pid: pid, pts: Int64(index) * 3600, isBounded: false, picture) }
        }
        let recording = try remux([Part(bytes: builder.bytes)])
        #expect(recording.tracks.map(\.kind) == [.video, .video])
        #expect(recording.samples.map(\.count) == [17, 17])
    }

    @Test func reportsLostPackets() throws {
        var builder = TransportStreamBuilder()
        builder.tables()
        builder.play(from: 0, frames: 50)
        builder.lose(3, pid: TransportStreamBuilder.videoPID)
        builder.lose(2, pid: TransportStreamBuilder.audioPID)
        builder.play(from: 180_000, frames: 50)
        builder.lose(1, pid: TransportStreamBuilder.videoPID)
        builder.play(from: 360_000, frames: 50)
        var remuxer = Remuxer(into: SampleRecording())
        try remuxer.append(MemorySource(builder.bytes))
        _ = try remuxer.finish()
        #expect(remuxer.damage.places == 2)
        #expect(remuxer.damage.kinds == [.discontinuity: 3])
        #expect(abs((remuxer.damage.first ?? 0) - 2) < 0.1)
    }

    /// Some encoders restart the continuity counters in each segment.
    @Test func acceptsRestartedContinuityCounters() throws {
        var remuxer = Remuxer(into: SampleRecording())
        for start in [Int64(0), 180_000, 360_000] {
            try remuxer.append(MemorySource(part { $0.play(from: start, frames: 50) }.bytes))
        }
        #expect(try remuxer.finish().samples[0].count == 150)
        #expect(remuxer.damage.places == 0 && remuxer.damage.first == nil)
    }
}
