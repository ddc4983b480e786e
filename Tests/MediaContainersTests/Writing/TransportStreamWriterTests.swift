import MediaContainers
import TestSupport
import Testing

struct TransportStreamWriterTests {
    private func written(_ stream: [UInt8]) throws -> [UInt8] {
        var remuxer = Remuxer(into: TransportStreamWriter(MemorySink()))
        try remuxer.append(MemorySource(stream))
        var writer = try remuxer.finish()
        try writer.finish()
        return writer.sink.contents
    }

    private func expectSame(_ source: [UInt8]) throws {
        let made = try written(source)
        #expect(made.count % 188 == 0)
        #expect(try DemuxerRecording(made).diagnostics.isEmpty)
        let (before, after) = (try SampleRecording(remuxing: source), try SampleRecording(remuxing: made))
        let carried = before.tracks.indices.filter { before.tracks[$0].kind != .data }
        #expect(after.tracks.map { $0.format?.codec } == carried.map { before.tracks[$0].format?.codec })
        for (index, track) in carried.enumerated() {
            let (old, new) = (before.samples[track], after.samples[index])
            #expect(old.count == new.count)
            #expect(old.map(\.isSync) == new.map(\.isSync))
            let scales = (Double(before.tracks[track].timescale), Double(after.tracks[index].timescale))
            let oldFirst = try #require(old.first)
            let newFirst = try #require(new.first)
            let isEven = zip(old, new).allSatisfy { one, other in
                let offset = Double(one.pts - oldFirst.pts) / scales.0 - Double(other.pts - newFirst.pts) / scales.1
                return abs(offset) < 0.0005
            }
            #expect(isEven)
        }
        // The offset between audio and video must not change.
        guard carried.count > 1 else { return }
        func timeOffset(_ recording: SampleRecording, _ first: Int, _ second: Int) -> Double {
            Double(recording.samples[first][0].pts) / Double(recording.tracks[first].timescale)
                - Double(recording.samples[second][0].pts) / Double(recording.tracks[second].timescale)
        }
        #expect(abs(timeOffset(before, carried[0], carried[1]) - timeOffset(after, 0, 1)) < 0.001)
    }

    @Test func preservesVideoAndAudio() throws {
        var builder = TransportStreamBuilder()
        builder.tables()
        builder.play(from: 900_000, frames: 75, audioOffset: 1234)
        try expectSame(builder.bytes)
    }

    @Test(
        .enabled(if: try Prerequisite.hasCorpora()),
        arguments: [
            "videojs-mux.js/segments/test-segment.ts", "androidx-media/media/ts/sample_ac3.ts",
            "shaka-player/video.ts", "shaka-player/audio.ts",
        ])
    func preservesPublicStreams(path: String) throws {
        try expectSame(try Corpora.bytes(path))
    }

    @Test func clockPrecedesDecodingTimes() throws {
        var builder = TransportStreamBuilder()
        builder.tables()
        builder.play(from: 0, frames: 50)
        let made = try written(builder.bytes)
        var clocks: [Int64] = []
        for start in stride(from: 0, to: made.count, by: 188) {
            let packet = made[start..<start + 188]
            guard packet[start + 3] & 0x20 != 0, packet[start + 4] > 6, packet[start + 5] & 0x10 != 0 else { continue }
            let base = packet[start + 6..<start + 10].reduce(Int64(0)) { $0 << 8 | Int64($1) }
            clocks.append(base << 1 | Int64(packet[start + 10] >> 7))
        }
        #expect(clocks.count == 50)
        #expect(clocks.first == 63_000)
        #expect(zip(clocks.dropFirst(), clocks).allSatisfy { $0 - $1 == 3600 })
    }

    @Test func reportsUnsupportedCodec() throws {
        var writer = TransportStreamWriter(MemorySink())
        let opus = MediaTrack(
            id: 1, kind: .audio, formats: [MediaFormat(codec: .opus, codecString: "opus")], timescale: 48_000)
        let error = #expect(throws: ContainerError.self) { try writer.tracks([opus]) }
        #expect(error?.code == .unsupported)
        #expect(error?.summary.contains("opus") == true)
        #expect(throws: ContainerError.self) { try writer.finish() }
    }

    /// Samples of another codec may need a framing.
    @Test func refusesSampleOfUnsupportedFormat() throws {
        var writer = TransportStreamWriter(MemorySink())
        let formats = [
            MediaFormat(codec: .mp3, codecString: "mp4a.6B"), MediaFormat(codec: .opus, codecString: "opus"),
        ]
        try writer.tracks([MediaTrack(id: 1, kind: .audio, formats: formats, timescale: 48_000)])
        let sample = MediaSample(track: 0, pts: 0, dts: 0, duration: 960, size: 4, isSync: true, formatIndex: 1)
        let error = #expect(throws: ContainerError.self) {
            try [UInt8](repeating: 0, count: 4).withUnsafeBytes { try writer.sample(sample, bytes: $0) }
        }
        #expect(error?.code == .unsupported)
    }
}
