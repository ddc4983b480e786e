import Foundation

/// A live channel that ffmpeg encodes in real time: two variant streams and an audio rendition. Segments leave the
/// window of its playlists, but their files remain for comparison.
final class ChannelEncoder: Sendable {
    static let entry = "master.m3u8"
    /// The file name prefixes of the segments, by the names of the recording's tracks.
    static let tracks = ["video-1": "v0", "video-2": "v1", "audio-1": "v2"]

    let folder: TemporaryFolder
    let process: ChildProcess

    /// Starts the encoder and waits for two segments of each track. The encoder ends after `seconds` or when it is
    /// deallocated.
    init(seconds: Int, segmentSeconds: Int = 2) async throws {
        let folder = try TemporaryFolder("channel")
        self.folder = folder
        let video = "testsrc2=size=320x180:rate=25:duration=\(seconds)"
        let audio = "sine=frequency=440:sample_rate=48000:duration=\(seconds)"
        var arguments = ["-v", "error", "-re", "-f", "lavfi", "-i", video, "-re", "-f", "lavfi", "-i", audio]
        arguments += ["-map", "0:v", "-map", "0:v", "-map", "1:a", "-c:v", "libx264", "-preset", "ultrafast"]
        arguments += ["-g", "\(25 * segmentSeconds)", "-keyint_min", "\(25 * segmentSeconds)", "-sc_threshold", "0"]
        arguments += ["-b:v:0", "300k", "-b:v:1", "100k", "-c:a", "aac", "-b:a", "64k"]
        arguments += ["-f", "hls", "-hls_time", "\(segmentSeconds)", "-hls_list_size", "6"]
        arguments += ["-hls_flags", "program_date_time+independent_segments", "-master_pl_name", Self.entry]
        arguments += ["-var_stream_map", "v:0,agroup:a v:1,agroup:a a:0,agroup:a,default:yes,language:en"]
        arguments += ["-hls_segment_filename", folder.file("v%v_%05d.ts"), folder.file("v%v.m3u8")]
        process = try ChildProcess(Peer.required("ffmpeg"), arguments)
        try await eventually("the encoder has written two segments of each track", within: .seconds(30)) {
            if let ending = process.ending { throw HarnessError("ffmpeg: \(ending): \(process.errorText)") }
            return Self.tracks.values.allSatisfy { Self.count($0, in: folder) >= 2 } ? () : nil
        }
    }

    deinit { process.signal(SIGKILL) }

    private static func count(_ prefix: String, in folder: TemporaryFolder) -> Int {
        let text = try? String(contentsOfFile: folder.file("\(prefix).m3u8"), encoding: .utf8)
        return text?.split(separator: "\n").count { $0.hasSuffix(".ts") } ?? 0
    }

    /// Returns the path of a segment's file, by its track and number in the recording.
    func file(_ track: String, _ number: Int) -> String {
        let digits = String(number)
        let padding = String(repeating: "0", count: max(0, 5 - digits.count))
        return folder.file("\(Self.tracks[track] ?? "")_\(padding)\(digits).ts")
    }

    /// Writes a playlist of some segments of the encoder, and returns its URL.
    func playlist(_ track: String, _ numbers: [Int]) throws -> URL {
        let lines = numbers.map { "#EXTINF:2,\n\(file(track, $0))\n" }.joined()
        let path = folder.file("expected-\(track)-\(numbers.first ?? 0)-\(numbers.count).m3u8")
        try "#EXTM3U\n#EXT-X-TARGETDURATION:3\n#EXT-X-PLAYLIST-TYPE:VOD\n\(lines)#EXT-X-ENDLIST\n".write(
            toFile: path, atomically: true, encoding: .utf8)
        return URL(filePath: path)
    }
}
