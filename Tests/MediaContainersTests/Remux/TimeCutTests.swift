import MediaContainers
import Testing

struct TimeCutTests {
    /// Cuts a movie whose clock begins at 10 s. It has reordered video at 25 frames per second with a keyframe every
    /// second, and 50 audio frames per second that begin 0.1 s later.
    private func cut(from: Double?, to: Double?, seconds: Int = 6) throws -> (TimeCut<SampleRecording>) {
        var cut = TimeCut(SampleRecording(), from: from, to: to)
        let picture = MediaTrack(id: 1, kind: .video, formats: [MediaFormat(codec: .avc)], timescale: 90_000)
        let audio = MediaTrack(id: 2, kind: .audio, formats: [MediaFormat(codec: .aac)], timescale: 48_000)
        try cut.tracks([picture, audio])
        for index in 0..<25 * seconds {
            let dts = Int64(900_000 + index * 3600)
            // Among the first 20 pictures of each group, one in four is delayed by two additional pictures.
            let shift: Int64 = (1..<20).contains(index % 25) && index % 4 == 1 ? 10_800 : 3600
            try add(
                MediaSample(
                    track: 0, pts: dts + shift, dts: dts, duration: 3600, size: 1, isSync: index % 25 == 0), to: &cut)
            for half in 0..<2 {
                let time = Int64(480_000 + 4800 + (index * 2 + half) * 960)
                try add(MediaSample(track: 1, pts: time, dts: time, duration: 960, size: 1, isSync: true), to: &cut)
            }
        }
        try cut.finish()
        return cut
    }

    private func add(_ sample: MediaSample, to cut: inout TimeCut<SampleRecording>) throws {
        try [UInt8(7)].withUnsafeBytes { try cut.sample(sample, bytes: $0) }
    }

    @Test func forwardsEverythingWithoutBounds() throws {
        let cut = try cut(from: nil, to: nil)
        #expect(cut.output.samples.map(\.count) == [150, 300])
        #expect(cut.start == nil && cut.end == nil)
    }

    @Test func beginsAtPrecedingKeyframe() throws {
        let cut = try cut(from: 2.5, to: nil)
        let first = try #require(cut.output.samples[0].first)
        #expect(first.isSync)
        #expect(first.dts == 900_000 + 50 * 3600)
        #expect(cut.output.samples[0].count == 100)
        // The presentation begins with the first picture, at 10.04 s.
        #expect(try #require(cut.start) == 903_600 + 225_000)
        let audio = try #require(cut.output.samples[1].first)
        #expect(Double(audio.pts) / 48_000 > 12.54 - 0.1)
        #expect(Double(audio.pts + audio.duration) / 48_000 <= 12.54)
    }

    @Test func beginsAtKeyframeAtStart() throws {
        let cut = try cut(from: 2, to: nil)
        #expect(cut.output.samples[0].first?.pts == cut.start)
        #expect(cut.output.samples[0].first?.isSync == true)
    }

    @Test func stopsDecodingAtEnd() throws {
        let cut = try cut(from: nil, to: 3)
        let end = try #require(cut.end)
        #expect(end == 903_600 + 270_000)
        #expect(cut.output.samples[0].allSatisfy { $0.dts < end })
        // All pictures that are presented before the end are included.
        #expect(cut.output.samples[0].count { $0.pts < end } == 75)
    }

    @Test func beginsInLastGroup() throws {
        let cut = try cut(from: 5.98, to: nil)
        #expect(cut.output.samples[0].first?.isSync == true)
        #expect(cut.output.samples[0].count == 25)
    }

    @Test func throwsForRangePastEnd() {
        #expect(throws: ContainerError.self) { try cut(from: 60, to: nil) }
    }
}
