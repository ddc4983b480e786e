import MediaContainers
import TestSupport
import Testing

/// Tests of files in forms that the corpora lack, written by FFmpeg: QuickTime sound descriptions, uncompressed audio,
/// various fragments, cuts and delays. Their packets must match ffprobe's.
@Suite(.enabled(if: try Prerequisite.isMet("ffmpeg with ffprobe", FFmpeg.path != nil && FFprobe.path != nil)))
struct GeneratedFileTests {
    private static let video = ["-f", "lavfi", "-i", "testsrc=size=64x48:rate=25:duration=3"]
    private static let audio = ["-f", "lavfi", "-i", "sine=frequency=440:sample_rate=44100:duration=3"]
    private static let avc = ["-c:v", "libx264", "-preset", "ultrafast", "-bf", "2", "-g", "20", "-pix_fmt", "yuv420p"]

    private static func movie(_ flags: String) -> [String] {
        video + audio + avc + ["-c:a", "aac", "-movflags", flags, "-f", "mp4"]
    }

    static let variants: [(name: String, arguments: [String])] = [
        ("little-endian audio in mov", audio + ["-c:a", "pcm_s16le", "-f", "mov"]),
        ("24-bit stereo in mov", audio + ["-ac", "2", "-c:a", "pcm_s24be", "-f", "mov"]),
        ("float audio at 96 kHz in mov", audio + ["-ar", "96000", "-ac", "6", "-c:a", "pcm_f32le", "-f", "mov"]),
        ("packed audio in mov", audio + ["-c:a", "adpcm_ima_qt", "-f", "mov"]),
        ("AAC in mov", audio + ["-c:a", "aac", "-f", "mov"]),
        ("ALAC in mov", audio + ["-c:a", "alac", "-f", "mov"]),
        ("MP3 in mp4", audio + ["-c:a", "libmp3lame", "-f", "mp4"]),
        ("AC-3 in mp4", audio + ["-c:a", "ac3", "-f", "mp4"]),
        ("E-AC-3 in mp4", audio + ["-c:a", "eac3", "-f", "mp4"]),
        ("FLAC in mp4", audio + ["-c:a", "flac", "-strict", "-2", "-f", "mp4"]),
        ("MPEG-4 video in mp4", video + ["-c:v", "mpeg4", "-bf", "2", "-f", "mp4"]),
        ("Motion JPEG in mov", video + ["-c:v", "mjpeg", "-f", "mov"]),
        ("video and audio", video + audio + avc + ["-c:a", "aac", "-f", "mp4"]),
        ("negative offsets", movie("negative_cts_offsets")),
        ("delayed audio", video + ["-itsoffset", "0.7"] + audio + avc + ["-c:a", "aac", "-f", "mp4"]),
        ("delayed video", ["-itsoffset", "0.7"] + video + audio + avc + ["-c:a", "aac", "-f", "mp4"]),
        ("fragments with an explicit base offset", movie("frag_keyframe+empty_moov")),
        ("fragments relative to moof", movie("frag_keyframe+empty_moov+default_base_moof")),
        ("fragments without a base offset", movie("frag_keyframe+empty_moov+omit_tfhd_offset")),
        ("fragments with edit lists", movie("frag_keyframe+delay_moov+default_base_moof")),
        ("a moof for each track", movie("frag_keyframe+empty_moov+separate_moof")),
        ("samples in moov and in fragments", movie("frag_keyframe")),
        (
            "a 64-bit start time",
            video + avc + ["-output_ts_offset", "100000", "-movflags", "frag_keyframe+empty_moov", "-f", "mp4"]
        ),
    ]

    @Test(arguments: variants) func matchesPacketsOfFFprobe(name: String, arguments: [String]) throws {
        try comparePackets(try FFmpeg.run(arguments), name)
    }

    @Test(arguments: ["0.5", "1.03", "1.9"]) func matchesFFprobeForCutFiles(start: String) throws {
        let movie = try FFmpeg.run(Self.video + Self.audio + Self.avc + ["-c:a", "aac", "-f", "mp4"])
        let cut = try withTemporaryFile(movie) { file in
            try FFmpeg.run(["-ss", start, "-i", file, "-t", "0.8", "-c", "copy", "-f", "mp4"])
        }
        try comparePackets(cut, "cut at \(start)")
    }

    @Test(arguments: variants) func decodesRearrangedFileToSameData(name: String, arguments: [String]) throws {
        let file = try FFmpeg.run(arguments)
        let source = MemorySource(file)
        let reader = try MP4Reader(source)
        // FFmpeg reads uncompressed audio in MP4 only since version 6.1. `UncompressedAudioTests` tests it.
        if reader.tracks.contains(where: { $0.format?.codec == .pcm }) { return }
        guard reader.tracks.allSatisfy({ $0.format?.sampleEntry != "ima4" }) else {
            let error = #expect(throws: ContainerError.self) { try ProgressiveRemux(reader) }
            #expect(error?.code == .unsupported)
            return
        }
        let view = ByteLayoutView(layout: try ProgressiveRemux(reader).layout, source: source)
        let before = try FFmpeg.decode(file)
        #expect(!before.isEmpty)
        let after = try FFmpeg.decode(view.bytes(0..<view.length, limit: 1 << 26))
        if name == "fragments with edit lists" {
            // FFmpeg doesn't cut the encoder delay in fragments, so it decodes one more audio frame from them.
            #expect(before.count == after.count + 1 && Set(after).isSubset(of: Set(before)))
        } else {
            #expect(after == before)
        }
    }

    private func comparePackets(_ file: [UInt8], _ name: String) throws {
        let theirs = try FFprobe.packets(file)
        let ours = try PacketList(MemorySource(file))
        #expect(!theirs.streams.isEmpty && ours.streams.keys == theirs.streams.keys, "\(name)")
        for (stream, packets) in theirs.streams {
            let mine = ours.streams[stream] ?? []
            #expect(mine.count == packets.count, "\(name) stream \(stream)")
            for (index, (packet, expected)) in zip(mine, packets).enumerated() {
                var packet = packet
                // Durations aren't compared, because FFmpeg derives them from the frame rate if there are composition
                // offsets.
                packet.duration = expected.duration
                #expect(packet == expected, "\(name) stream \(stream) packet \(index)")
                if packet != expected { break }
            }
        }
    }
}
