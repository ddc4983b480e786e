import FormatProperties
import MediaContainers
import TestSupport
import Testing

struct FragmentSinkTests {
    /// Returns the fragment with a segment's track of the given kind, and the segment's samples as the remuxer delivers
    /// them.
    private static func fragment(
        _ segment: [UInt8], _ kind: MediaKind, initialization: Movie? = nil
    ) throws -> (fragment: MediaFragment?, expected: SampleRecording) {
        var remuxer = Remuxer(into: FragmentSink(kind: kind), keepsLeadingFrames: true)
        try remuxer.append(MemorySource(segment), initialization: initialization)
        var sink = try remuxer.finish()
        var recording = Remuxer(into: SampleRecording(), keepsLeadingFrames: true)
        try recording.append(MemorySource(segment), initialization: initialization)
        return (try sink.finish(), try recording.finish())
    }

    private static func essence(_ recording: SampleRecording, _ track: Int, offset: Int64 = 0) -> [String] {
        zip(recording.samples[track], recording.checksums[track]).map { sample, checksum in
            "\(sample.pts - offset) \(sample.dts - offset) \(sample.size) \(sample.isSync) \(checksum)"
        }
    }

    struct Segment: Sendable, CustomTestStringConvertible {
        var playlist: String
        var index: Int
        var testDescription: String { "\(playlist) \(index)" }
    }

    static func segments() throws -> [Segment] {
        let playlists = Set(try RemuxPlaylistTests.streams().map(\.playlist)).sorted()
        return try playlists.flatMap { playlist in
            try MediaPlaylist(playlist).segments.indices.map { Segment(playlist: playlist, index: $0) }
        }
    }

    @Test(.enabled(if: try Prerequisite.hasCorpora()), arguments: try segments())
    func preservesSamplesOfSegment(segment: Segment) throws {
        let playlist = try MediaPlaylist(segment.playlist)
        let entry = playlist.segments[segment.index]
        let movie = try entry.map.map { try MP4Reader(MemorySource(Corpora.bytes($0))).movie }
        let bytes = try playlist.bytes(entry)
        for kind in [MediaKind.video, .audio] {
            let (fragment, expected) = try Self.fragment(bytes, kind, initialization: movie)
            guard let track = expected.tracks.firstIndex(where: { $0.kind == kind }) else {
                #expect(fragment == nil)
                continue
            }
            let found = try #require(fragment)
            let actual = try SampleRecording(MemorySource(found.bytes))
            #expect(actual.tracks.map(\.kind) == [kind])
            #expect(actual.tracks[0].format?.codec == found.formats[0].codec)
            let offset = Int64(FragmentSink.timeOffset) * Int64(actual.tracks[0].timescale)
            #expect(Self.essence(actual, 0, offset: offset) == Self.essence(expected, track))
            #expect(actual.samples[0].allSatisfy { $0.duration > 0 && !$0.isHidden })
        }
    }

    @Test(
        .enabled(if: try Prerequisite.hasCorpora()),
        .enabled(if: try Prerequisite.isMet("ffmpeg", FFmpeg.path != nil)), arguments: try segments())
    func decodesFragmentWithoutWarnings(segment: Segment) throws {
        let playlist = try MediaPlaylist(segment.playlist)
        let entry = playlist.segments[segment.index]
        let movie = try entry.map.map { try MP4Reader(MemorySource(Corpora.bytes($0))).movie }
        for kind in [MediaKind.video, .audio] {
            guard let fragment = try Self.fragment(playlist.bytes(entry), kind, initialization: movie).fragment else {
                continue
            }
            let result = try withTemporaryFile(fragment.bytes) { path in
                let arguments = ["-v", "warning", "-nostdin", "-i", path, "-map", "0", "-f", "null", "-"]
                return try Program(path: FFmpeg.path ?? "", arguments: arguments).run()
            }
            #expect(result.succeeded && result.messages.isEmpty, "\(kind) \(result.messages)")
        }
    }

    private func build(_ frames: (inout TransportStreamBuilder) -> Void) -> [UInt8] {
        var builder = TransportStreamBuilder()
        builder.tables()
        frames(&builder)
        return builder.bytes
    }

    /// If a segment begins less than a minute before the clock wraps, its start time is negative.
    @Test(arguments: [0.5, 59]) func continuesPastEndOfClock(distance: Double) throws {
        let start: Int64 = (1 << 33) - Int64(distance * 90_000)
        let (fragment, _) = try Self.fragment(build { $0.play(from: start, frames: 25) }, .video)
        let shown = try #require(fragment?.shown)
        #expect(abs(shown.lowerBound - (0.08 - distance)) < 0.001)
        #expect(abs(shown.upperBound - shown.lowerBound - 1) < 0.001)
    }

    /// The last frame lasts as long as the one before it.
    @Test func writesNoFrameWithoutDuration() throws {
        let (fragment, _) = try Self.fragment(build { $0.play(from: 90_000, frames: 3, hasTiming: false) }, .video)
        let written = try SampleRecording(MemorySource(try #require(fragment).bytes)).samples[0]
        #expect(written.map(\.duration) == [3600, 3600, 3600])
    }

    /// The frames before the first keyframe depend on frames of the previous segment.
    @Test func keepsFramesBeforeFirstKeyframe() throws {
        let segment = build { builder in
            for index in 0..<6 {
                let time = 90_000 + Int64(index) * 3600
                let picture = TransportStreamBuilder.picture(isKey: index == 0 || index == 3)
                // Parameter sets precede the first picture, which isn't a keyframe.
                let sets = Array(TransportStreamBuilder.picture(isKey: true).prefix(42))
                builder.pes(
                    pid: TransportStreamBuilder.videoPID, pts: time, isBounded: false,
                    index == 0 ? sets + TransportStreamBuilder.picture(isKey: false).dropFirst(6) : picture)
            }
        }
        let (fragment, _) = try Self.fragment(segment, .video)
        let samples = try SampleRecording(MemorySource(try #require(fragment).bytes)).samples[0]
        #expect(samples.map(\.isSync) == [false, false, false, true, false, false])
    }

    @Test func beginsInitializationSectionForEachFormat() throws {
        var sink = FragmentSink(kind: .audio)
        let formats = [44_100, 48_000].map { rate in
            MediaFormat(codec: .mp3, codecString: "mp4a.6B", sampleEntry: "mp4a", sampleRate: rate, channels: 2)
        }
        sink.tracks([MediaTrack(id: 1, kind: .audio, formats: formats, timescale: 90_000)])
        for index in 0..<4 {
            let sample = MediaSample(
                track: 0, pts: Int64(index) * 2160 - 2160, dts: Int64(index) * 2160 - 2160,
                duration: index == 1 ? 0 : 2160, size: 4, isSync: true, formatIndex: index / 2)
            try [UInt8](repeating: UInt8(index), count: 4).withUnsafeBytes { try sink.sample(sample, bytes: $0) }
        }
        let fragment = try #require(try sink.finish())
        #expect(fragment.formats == formats)
        let boxes = try BoxTree(MemorySource(fragment.bytes)).roots.map(\.header)
        #expect(boxes.map(\.type) == ["ftyp", "moov", "moof", "mdat", "ftyp", "moov", "moof", "mdat"])
        let second = Array(fragment.bytes[Int(boxes[4].offset)...])
        let recording = try SampleRecording(MemorySource(second))
        #expect(recording.tracks.first?.format?.sampleRate == 48_000)
        #expect(recording.samples[0].map(\.dts) == [9_002_160, 9_004_320])
        let first = try SampleRecording(MemorySource(Array(fragment.bytes[..<Int(boxes[4].offset)])))
        // The last frame before the change lasts until the change, and times before zero are representable.
        #expect(first.samples[0].map(\.dts) == [8_997_840, 9_000_000])
        #expect(first.samples[0].map(\.duration) == [2160, 2160])
    }
}
