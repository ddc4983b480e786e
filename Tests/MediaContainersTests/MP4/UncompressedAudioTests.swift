import MediaContainers
import TestSupport
import Testing

/// Tests of converting uncompressed audio from QuickTime files to MP4 (ISO/IEC 23003-5).
@Suite(.enabled(if: try Prerequisite.isMet("ffmpeg", FFmpeg.path != nil)))
struct UncompressedAudioTests {
    private static let audio = ["-f", "lavfi", "-i", "sine=frequency=440:sample_rate=48000:duration=2"]

    /// Returns the bytes and the total duration of the samples of one kind.
    private func content(_ kind: MediaKind, of source: some ByteSource) throws -> (bytes: [UInt8], duration: Int64) {
        let recording = try DemuxerRecording(movie: source)
        let samples = recording.samples.filter { recording.tracks[$0.sample.track].kind == kind }
        return (samples.flatMap(\.bytes), samples.reduce(0) { $0 + $1.sample.duration })
    }

    @Test(arguments: [
        ("pcm_s16le", PCMConfiguration(isFloat: false, isLittleEndian: true, bits: 16)),
        ("pcm_s16be", PCMConfiguration(isFloat: false, isLittleEndian: false, bits: 16)),
        ("pcm_s24le", PCMConfiguration(isFloat: false, isLittleEndian: true, bits: 24)),
        ("pcm_s24be", PCMConfiguration(isFloat: false, isLittleEndian: false, bits: 24)),
        ("pcm_s32le", PCMConfiguration(isFloat: false, isLittleEndian: true, bits: 32)),
        ("pcm_f32be", PCMConfiguration(isFloat: true, isLittleEndian: false, bits: 32)),
        ("pcm_f64le", PCMConfiguration(isFloat: true, isLittleEndian: true, bits: 64)),
    ])
    func preservesSamples(encoder: String, expected: PCMConfiguration?) throws {
        let file = MemorySource(try FFmpeg.run(Self.audio + ["-ac", "2", "-c:a", encoder, "-f", "mov"]))
        let reader = try MP4Reader(file)
        #expect(reader.tracks.first?.format.flatMap { PCMConfiguration(record: $0.configuration) } == expected)
        let made = ByteLayoutView(layout: try ProgressiveRemux(reader).layout, source: file)
        let format = try #require(try MP4Reader(made).tracks.first?.format)
        #expect(PCMConfiguration(record: format.configuration) == expected)
        #expect(format.sampleEntry == (expected?.isFloat == true ? "fpcm" : "ipcm"))
        #expect(format.sampleRate == 48_000 && format.channels == 2)
        let (before, after) = (try content(.audio, of: file), try content(.audio, of: made))
        #expect(!after.bytes.isEmpty && after.bytes == before.bytes)
        #expect(after.duration == before.duration && after.duration == 96_000)
    }

    @Test(arguments: [["-c:a", "pcm_mulaw"], ["-c:a", "pcm_u8"], ["-ac", "6", "-c:a", "pcm_s16le"]])
    func reportsFormatWithoutMP4Entry(arguments: [String]) throws {
        let file = MemorySource(try FFmpeg.run(Self.audio + arguments + ["-f", "mov"]))
        let error = #expect(throws: ContainerError.self) { try ProgressiveRemux(try MP4Reader(file)) }
        #expect(error?.code == .unsupported && error?.summary.contains("uncompressed audio") == true)
    }

    /// The flags and packet sizes of `lpcm` with packed words, with words wider than their samples, and with
    /// non-interleaved channels.
    @Test(arguments: [(12, 6, true), (4, 8, false), (44, 6, false), (44, 3, false)] as [(UInt8, UInt8, Bool)])
    func reportsUnsupportedPacketLayout(flags: UInt8, packet: UInt8, isCarried: Bool) throws {
        var file = try FFmpeg.run(Self.audio + ["-ac", "2", "-ar", "96000", "-c:a", "pcm_s24le", "-f", "mov"])
        let entry = try #require(file.firstRange(of: Array("lpcm".utf8))).lowerBound
        #expect(file[entry + 59] == 12 && file[entry + 63] == 6)
        file[entry + 59] = flags
        file[entry + 63] = packet
        let reader = try MP4Reader(MemorySource(file))
        #expect(reader.tracks.first?.format?.configuration.isEmpty == !isCarried)
        guard !isCarried else { return }
        let error = #expect(throws: ContainerError.self) { try ProgressiveRemux(reader) }
        #expect(error?.code == .unsupported && error?.summary.contains("uncompressed audio (lpcm") == true)
    }

    /// A camera file with reordered video, an edit list, uncompressed audio, a time code track, and the index at the
    /// end.
    @Test func rearrangesCameraFile() throws {
        let file = MemorySource(
            try FFmpeg.run(
                ["-f", "lavfi", "-i", "testsrc2=s=128x96:r=25:d=2"] + Self.audio
                    + ["-c:v", "libx264", "-bf", "2", "-pix_fmt", "yuv420p", "-c:a", "pcm_s16le"]
                    + ["-timecode", "01:00:00:00", "-f", "mov"]))
        let reader = try MP4Reader(file)
        let remux = try ProgressiveRemux(reader)
        let made = ByteLayoutView(layout: remux.layout, source: file)
        #expect(try BoxTree(made).roots.map(\.header.type) == ["ftyp", "moov", "mdat"])
        #expect(try MP4Reader(made).tracks.map(\.kind) == [.video, .audio])
        #expect(remux.omittedTracks.map { reader.tracks[$0.key].format?.codecString } == ["tmcd"])
        #expect(remux.omittedTracks.values.first?.summary.contains("tmcd") == true)
        for kind in [MediaKind.video, .audio] {
            let (before, after) = (try content(kind, of: file), try content(kind, of: made))
            #expect(before.bytes == after.bytes && !after.bytes.isEmpty)
        }
        // Both tracks begin at the same time, because the video's edit list is preserved.
        var samples = try MP4Reader(made).samples()
        var first: [Int: Int64] = [:]
        while let sample = try samples.next() {
            first[sample.track] = min(first[sample.track] ?? .max, sample.pts)
        }
        #expect(first == [0: 0, 1: 0])
    }
}
