import Foundation
import MediaContainers
import TestSupport
import Testing

struct MovieBuilderTests {
    private let video = MediaTrack(
        id: 1, kind: .video,
        formats: [MediaFormat(codec: .avc, configuration: Self.record, sampleEntry: "avc1", width: 64, height: 48)],
        timescale: 90000)
    private let audio = MediaTrack(
        id: 2, kind: .audio,
        formats: [MediaFormat(codec: .aac, configuration: [0x12, 0x10], sampleRate: 44100, channels: 2)],
        timescale: 44100, language: "deu")

    private static let record: [UInt8] = [1, 66, 0, 30, 0xFF, 0xE1, 0, 4, 0x67, 66, 0, 30, 1, 0, 2, 0x68, 0xCE]

    private func file(_ builder: MovieBuilder) throws -> MP4Reader<MemorySource> {
        let layout = try builder.progressiveLayout()
        return try MP4Reader(MemorySource(layout.head + [UInt8](repeating: 7, count: Int(layout.mediaLength))))
    }

    private func samples(_ reader: MP4Reader<MemorySource>) throws -> [[MediaSample]] {
        var samples = reader.tracks.map { _ in [MediaSample]() }
        var walk = try reader.samples()
        while let sample = try walk.next() { samples[sample.track].append(sample) }
        return samples
    }

    private func add(_ builder: inout MovieBuilder, _ track: Int, _ times: [(pts: Int64, dts: Int64)]) throws {
        for (index, time) in times.enumerated() {
            try builder.add(
                MediaSample(
                    track: track, pts: time.pts, dts: time.dts, duration: 3000, size: 10 + index,
                    isSync: index == 0))
        }
    }

    @Test func preservesOffsetBetweenTracks() throws {
        var builder = MovieBuilder()
        let first = try builder.add(video)
        let second = try builder.add(audio)
        // Decoding of the reordered video starts at 10 s. The audio is presented 0.25 s after the first picture.
        try add(&builder, first, [(906_000, 900_000), (912_000, 903_000), (909_000, 906_000)])
        try add(&builder, second, [(452_025 + 2940, 452_025 + 2940), (456_025 + 2940, 456_025 + 2940)])
        let found = try samples(file(builder))
        #expect(found[0].map(\.pts) == [0, 6000, 3000])
        let delay = Double(452_025 + 2940) / 44100 - 906_000.0 / 90000
        #expect(abs(Double(found[1][0].pts) / 44100 - delay) < 0.000_05)
        #expect(found[1][1].pts - found[1][0].pts == 4000)
    }

    /// ISO/IEC 14496-12, 8.3.2 and 8.4: only one of several alternative audio tracks is enabled, and each track has a
    /// language and a name.
    @Test func writesTrackProperties() throws {
        var builder = MovieBuilder()
        try add(&builder, builder.add(video), [(0, 0)])
        let expected: [(language: String?, name: String?, isEnabled: Bool)] = [
            ("ger", nil, false), ("en", "Commentary\u{0}\u{1B}[2J", true), ("pt-BR", "Português", true),
            (nil, String(repeating: "ü", count: 200), false),
        ]
        for (language, name, isEnabled) in expected {
            var track = audio
            (track.language, track.name, track.isEnabled) = (language, name, isEnabled)
            try add(&builder, builder.add(track), [(0, 0)])
        }
        let file = try file(builder)
        #expect(file.tracks.map(\.isEnabled) == [true, false, true, false, false])
        #expect(file.tracks.map(\.language) == ["und", "deu", "eng", "pt-BR", "und"])
        let text = String(decoding: try builder.progressiveLayout().head, as: UTF8.self)
        let names = ["VideoHandler", "SoundHandler", "Commentary[2J", "Português", String(repeating: "ü", count: 127)]
        for name in names { #expect(text.contains("\u{0}\(name)\u{0}"), "\(name)") }
        // Only languages that three letters can't express have an `elng` box.
        #expect(text.ranges(of: "elng").count == 1)
    }

    /// If no track is marked as enabled, the first audio track is enabled, but no text track is.
    @Test func enablesAudioButNotTextByDefault() throws {
        var builder = MovieBuilder()
        let text = SubtitleTrack(language: "en").mediaTrack
        for track in [audio, audio, text, text] {
            var track = track
            track.isEnabled = false
            try add(&builder, builder.add(track), [(0, 0)])
        }
        #expect(try file(builder).tracks.map(\.isEnabled) == [true, false, false, false])
    }

    @Test func preservesGaps() throws {
        var builder = MovieBuilder()
        let track = try builder.add(video)
        try add(&builder, track, [(0, 0), (3000, 3000), (903_000, 903_000), (906_000, 906_000)])
        #expect(try samples(file(builder))[0].map(\.dts) == [0, 3000, 903_000, 906_000])
    }

    @Test func hidesSamplesOutsideStartAndEnd() throws {
        var builder = MovieBuilder()
        let track = try builder.add(video)
        try add(&builder, track, (0..<10).map { ($0 * 3000, $0 * 3000) })
        builder.start = (12_000, 90000)
        builder.end = (21_000, 90000)
        let reader = try file(builder)
        let found = try samples(reader)[0]
        #expect(found.first { !$0.isHidden }?.pts == 0)
        #expect(found.map(\.isHidden) == [true, true, true, true, false, false, false, true, true, true])
        #expect(reader.movie.duration == 9000)
    }

    @Test func cutsPrimingWithEditList() throws {
        var builder = MovieBuilder()
        var primed = audio
        primed.priming = 2112
        let track = try builder.add(primed)
        for index in 0..<10 {
            let time = Int64(index) * 1024
            try builder.add(MediaSample(track: track, pts: time, dts: time, duration: 1024, size: 9, isSync: true))
        }
        let reader = try file(builder)
        #expect(reader.movie.tracks[0].edits.edits == [Edit(duration: 10240 - 2112, mediaTime: 2112)])
        let found = try samples(reader)[0]
        #expect(found.map(\.isHidden) == [true, true] + [Bool](repeating: false, count: 8))
        #expect(found[0].pts == -2112)
        #expect(reader.tracks[0].language == "deu")
    }

    @Test func writesSecondSampleDescription() throws {
        var builder = MovieBuilder()
        let track = try builder.add(video)
        try add(&builder, track, [(0, 0), (3000, 3000)])
        var wider = video.formats[0]
        wider.width = 128
        builder.setFormats([video.formats[0], wider], ofTrack: track)
        try builder.add(
            MediaSample(track: track, pts: 6000, dts: 6000, duration: 3000, size: 5, isSync: true, formatIndex: 1))
        let reader = try file(builder)
        #expect(reader.tracks[0].formats.map(\.width) == [64, 128])
        #expect(try samples(reader)[0].map(\.formatIndex) == [0, 0, 1])
    }

    @Test func mapsEveryByteToItsSample() throws {
        var builder = MovieBuilder()
        let tracks = [try builder.add(video), try builder.add(audio)]
        var random = SeededGenerator(seed: 11)
        var expected: [(track: Int, index: Int, offset: Int)] = []
        var counts = [0, 0]
        for _ in 0..<200 {
            let track = tracks[Int.random(in: 0...1, using: &random)]
            let size = Int.random(in: 1...40, using: &random)
            let time = Int64(counts[track]) * 1000
            try builder.add(MediaSample(track: track, pts: time, dts: time, duration: 1000, size: size, isSync: true))
            for offset in 0..<size { expected.append((track, counts[track], offset)) }
            counts[track] += 1
        }
        let layout = try builder.progressiveLayout()
        #expect(layout.sample(at: Int64(layout.head.count) - 1) == nil)
        #expect(layout.sample(at: layout.length) == nil)
        for (index, place) in expected.enumerated() {
            let found = try #require(layout.sample(at: Int64(layout.head.count + index)))
            #expect((found.track, found.index, found.offset) == place)
        }
    }

    @Test func uses64BitOffsetsAbove4GiB() throws {
        var builder = MovieBuilder()
        let track = try builder.add(video)
        for index in 0..<5 {
            let time = Int64(index) * 3000
            try builder.add(
                MediaSample(track: track, pts: time, dts: time, duration: 3000, size: 1 << 30, isSync: true))
        }
        let layout = try builder.progressiveLayout()
        let source = SparseSource(length: layout.length, parts: [(0, layout.head)])
        var walk = try MP4Reader(source).samples()
        var offsets: [Int64] = []
        while let sample = try walk.next() { offsets.append(sample.offset) }
        #expect(offsets == (0..<5).map { Int64(layout.head.count) + $0 << 30 })
    }

    @Test func rejectsDecreasingDecodingTimes() throws {
        var builder = MovieBuilder()
        let track = try builder.add(video)
        let error = #expect(throws: ContainerError.self) { try add(&builder, track, [(3000, 3000), (0, 0)]) }
        #expect(error?.code == .malformed)
    }

    @Test func reportsCodecThatMP4CannotCarry() throws {
        var builder = MovieBuilder()
        let track = MediaTrack(
            id: 1, kind: .data, formats: [MediaFormat(codec: .scte35, codecString: "scte35")], timescale: 90000)
        _ = try builder.add(track)
        try builder.add(MediaSample(track: 0, pts: 0, dts: 0, duration: 1, size: 1, isSync: true))
        let error = #expect(throws: ContainerError.self) { try builder.progressiveLayout() }
        #expect(error?.code == .unsupported)
        #expect(error?.summary.contains("scte35") == true)
    }

    @Test(.enabled(if: try Prerequisite.isMet("ffprobe", FFprobe.path != nil)))
    func writesAudioFormatsThatFFprobeReads() throws {
        let formats: [(MediaFormat, String)] = [
            (MediaFormat(codec: .aac, configuration: [0x11, 0x90], sampleRate: 48000, channels: 2), "aac"),
            (MediaFormat(codec: .mp3, sampleRate: 44100, channels: 2), "mp3"),
            (MediaFormat(codec: .ac3, configuration: [0x10, 0x3D, 0xE0], sampleRate: 48000, channels: 6), "ac3"),
            (
                MediaFormat(
                    codec: .eac3, configuration: [0x08, 0x00, 0x20, 0x0F, 0x00], sampleRate: 48000, channels: 6),
                "eac3"
            ),
            (
                MediaFormat(
                    codec: .opus, configuration: [0, 2, 1, 0x38, 0, 0, 0xBB, 0x80, 0, 0, 0], sampleRate: 48000,
                    channels: 2), "opus"
            ),
        ]
        for (format, name) in formats {
            var builder = MovieBuilder()
            _ = try builder.add(MediaTrack(id: 1, kind: .audio, formats: [format], timescale: 48000))
            try builder.add(MediaSample(track: 0, pts: 0, dts: 0, duration: 1024, size: 4, isSync: true))
            let layout = try builder.progressiveLayout()
            let text = try FFprobe.run(
                layout.head + [0, 0, 0, 0], ["-show_entries", "stream=codec_name,channels"], allowingWarnings: true)
            #expect(text.contains("codec_name=\(name)"))
            #expect(text.contains("channels=\(format.channels)"))
        }
    }
}
