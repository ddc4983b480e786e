import MediaContainers
import Testing

/// Tests of damage that a remux tolerates.
struct RemuxDamageTests {
    private static let pictures = 150
    private static let start: Int64 = (1 << 33) - 3 * 90_000

    private static func wrapped(_ time: Int64) -> Int64 { time & ((1 << 33) - 1) }

    /// Returns two seconds of video and audio. An offset may be added to the timestamp of a given picture or of the
    /// audio at its time. `change` is called in the middle.
    private func segment(
        _ index: Int, damage: (index: Int64, kind: MediaKind, offset: Int64)? = nil,
        _ change: (inout TransportStreamBuilder) -> Void = { _ in }
    ) -> [UInt8] {
        var builder = TransportStreamBuilder()
        builder.tables()
        var frame = Int64(index) * 94
        for picture in Int64(index) * 50..<Int64(index + 1) * 50 {
            if picture == Int64(index) * 50 + 25 { change(&builder) }
            let isDamaged = damage.map { $0.index == picture }
            let time =
                Self.start + picture * 3600 + (isDamaged == true && damage?.kind == .video ? damage?.offset ?? 0 : 0)
            builder.pes(
                pid: TransportStreamBuilder.videoPID, pts: Self.wrapped(time + 7200), dts: Self.wrapped(time),
                isBounded: false, TransportStreamBuilder.picture(isKey: picture % 5 == 0))
            while frame * 1920 < (picture + 1) * 3600, frame < Int64(index + 1) * 94 {
                let isDamaged = damage.map { $0.kind == .audio && abs($0.index * 3600 - frame * 1920) < 1920 } ?? false
                let time = Self.start + frame * 1920 + (isDamaged ? damage?.offset ?? 0 : 0)
                builder.pes(
                    pid: TransportStreamBuilder.audioPID, pts: Self.wrapped(time),
                    TransportStreamBuilder.aac() + TransportStreamBuilder.aac())
                frame += 2
            }
        }
        return builder.bytes
    }

    private func remux(
        _ segments: [[UInt8]], join: (Int) -> SegmentJoin = { _ in .continuous }
    ) throws -> (recording: SampleRecording, damage: [SegmentDamage?], remux: RemuxDamage) {
        var remuxer = Remuxer(into: SampleRecording())
        var damage: [SegmentDamage?] = []
        for (index, segment) in segments.enumerated() {
            damage.append(try remuxer.append(MemorySource(segment), join: join(index), toleratesDamage: true))
        }
        let recording = try remuxer.finish()
        return (recording, damage, remuxer.damage)
    }

    @Test(
        arguments: [MediaKind.video, .audio], [450_000, -450_000, 90_000, -90_000, 3600 * 90_000, -7200 * 90_000]
    )
    func repairsDamagedTimestampWithoutMovingLaterSamples(kind: MediaKind, offset: Int64) throws {
        let whole = try remux([segment(0), segment(1), segment(2)]).recording
        for index in [Int64(60), 75, 98] {
            let (recording, _, damage) = try remux([
                segment(0), segment(1, damage: (index, kind, offset)), segment(2),
            ])
            for track in whole.tracks.indices {
                #expect(recording.samples[track].count == whole.samples[track].count)
                for (sample, expected) in zip(recording.samples[track], whole.samples[track]) {
                    let scale = Int64(whole.tracks[track].timescale)
                    #expect(abs(sample.dts - expected.dts) <= scale / 100, "picture \(index)")
                    #expect(abs(sample.pts - expected.pts) <= scale / 100, "picture \(index)")
                }
            }
            #expect(damage.kinds == [.damagedTimestamp: 1])
        }
    }

    @Test func preservesUnannouncedGap() throws {
        let recording = try remux([segment(0), segment(4)]).recording
        let times = recording.samples[0].map(\.dts)
        #expect(times.count == 100)
        #expect(times[50] - times[49] == 3600 + 6 * 90_000)
    }

    @Test func reportsAndSkipsScrambledPacket() throws {
        let (recording, damage, _) = try remux([
            segment(0),
            segment(1) {
                $0.packet(
                    pid: TransportStreamBuilder.videoPID, [UInt8](repeating: 1, count: 184), startsUnit: true,
                    scrambling: 3)
            }, segment(2),
        ])
        #expect(damage.map { $0?.error.code } == [nil, .encrypted, nil])
        #expect(damage[1]?.isTruncated == false && damage[1]?.isEmpty == false)
        #expect(recording.samples[0].count >= Self.pictures - 1)
        #expect(recording.samples[1].count == 282)
    }

    @Test func reportsScramblingForEachSegment() throws {
        let scrambled = segment(1) {
            $0.packet(pid: 0x100, [UInt8](repeating: 1, count: 184), startsUnit: true, scrambling: 3)
        }
        let damage = try remux([segment(0), scrambled, scrambled]).damage
        #expect(damage.map { $0 != nil } == [false, true, true])
    }

    /// An unreadable segment becomes a gap of its duration, even if the clock wraps.
    @Test(arguments: [true, false]) func unreadableSegmentBecomesGap(isProtected: Bool) throws {
        var protected = TransportStreamBuilder()
        protected.tables([TransportStreamBuilder.Stream(pid: 0x100, type: 0xDB)], version: 1)
        let bad = isProtected ? protected.bytes : Array("<html>not a segment</html>".utf8)
        let (recording, damage, _) = try remux([segment(0), bad, segment(2)]) { $0 == 2 ? .gap : .continuous }
        #expect(damage.map { $0?.error.code } == [nil, isProtected ? .encrypted : .notThisFormat, nil])
        #expect(damage[1]?.isEmpty == true && damage[1]?.isTruncated == true)
        let times = recording.samples[0].map(\.dts)
        #expect(times.count >= 99)
        #expect(try #require(times.last) - times[0] == 149 * 3600)
        #expect(recording.tracks.count == 2)
    }

    @Test func omitsAndReportsAudioOfAnotherCodec() throws {
        var other = TransportStreamBuilder()
        other.tables([TransportStreamBuilder.Stream(pid: 0x101, type: 0x81)], version: 1)
        for index in 0..<20 {
            let frame: [UInt8] = [0x0B, 0x77, 0, 0, 0x02, 0x40, 0x2F, 0x84] + [UInt8](repeating: 9, count: 152)
            other.pes(pid: 0x101, pts: Int64(index) * 2880, frame)
        }
        let joins: [SegmentJoin] = [.continuous, .discontinuity, .discontinuity]
        let (recording, damage, _) = try remux([segment(0), other.bytes, segment(1)]) { joins[$0] }
        #expect(
            damage.map { $0?.error.summary } == [
                nil, "the audio changes from mp4a.40.2 to ac-3 after 2.005 s", nil,
            ])
        #expect(recording.samples.map(\.count) == [100, 188])
        // If a codec is required, the remuxer accepts it even when another codec comes first.
        var remuxer = Remuxer(into: SampleRecording(), codecs: [[.audio: [.aac]]])
        for (index, segment) in [other.bytes, segment(0)].enumerated() {
            try remuxer.append(
                MemorySource(segment), join: index == 0 ? .continuous : .discontinuity, toleratesDamage: true)
        }
        #expect(remuxer.codecs == [[.video: [.avc], .audio: [.aac]]])
        #expect(try remuxer.finish().samples.map(\.count) == [50, 94])
    }

    private func hevc(_ type: FourCC) -> MediaFormat {
        let record = [1] + [UInt8](repeating: 0, count: 22)
        return MediaFormat(
            codec: .hevc, codecString: "\(type)", configuration: record, sampleEntry: type, width: 16, height: 16)
    }

    /// Decoding times remain continuous if a segment requires a smaller shift than the segments before it.
    @Test func shiftsDecodingTimesOfFragmentsConsistently() throws {
        let track = MediaTrack(id: 1, kind: .video, formats: [hevc("hvc1")], timescale: 90_000)
        var writer = FragmentedMovieWriter()
        _ = writer.add(track, timeOffset: 0)
        let movie = try MP4Reader(MemorySource(try writer.initializationSection())).movie
        var remuxer = Remuxer(into: SampleRecording())
        for (index, offset) in [Int64(-7200), 0, -3600].enumerated() {
            let samples = (0..<10).map { number in
                let dts = Int64(index * 10 + number) * 3600 + 90_000
                return MediaSample(
                    track: 0, pts: dts + (number == 4 ? offset : 0), dts: dts, duration: 3600, size: 4,
                    isSync: number == 0)
            }
            let bytes = try writer.fragmentHead(samples) + [UInt8](repeating: 7, count: 40)
            try remuxer.append(MemorySource(bytes), initialization: movie)
        }
        let times = try remuxer.finish().samples[0].map(\.dts)
        #expect(times.count == 30)
        #expect(zip(times.dropFirst(), times).allSatisfy { $0 - $1 == 3600 })
    }

    @Test(arguments: ["dvh1", "dvhe", "hev1", "hvc1"] as [FourCC])
    func preservesDolbyVisionSampleEntry(type: FourCC) throws {
        var format = hevc(type)
        format.videoBoxes = [0, 0, 0, 12] + Array("dvvC".utf8) + [1, 0, 10, 9]
        var builder = MovieBuilder()
        _ = try builder.add(MediaTrack(id: 1, kind: .video, formats: [format], timescale: 90_000))
        try builder.add(MediaSample(track: 0, pts: 0, dts: 0, duration: 3600, size: 4, isSync: true))
        let head = try builder.progressiveLayout().head
        let entry = try MP4Reader(MemorySource(head + [1, 2, 3, 4])).tracks[0].format
        #expect(entry?.sampleEntry == type)
        #expect(entry?.videoBoxes == format.videoBoxes)
    }
}
