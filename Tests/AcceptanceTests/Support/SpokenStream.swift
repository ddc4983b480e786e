import Foundation

/// A stream of fragmented MP4 with several audio renditions. Only the playlist contains their languages and names.
enum SpokenStream {
    /// An audio track as read by ffprobe.
    struct AudioTrack: Hashable {
        var language: String
        var name: String
        var isDefault: Bool
    }

    static let entry = "index.m3u8"

    /// The audio tracks of a file with all renditions. The default is the playlist's second rendition.
    static let all = [
        AudioTrack(language: "deu", name: "Deutsch", isDefault: true),
        AudioTrack(language: "eng", name: "English", isDefault: false),
        AudioTrack(language: "por", name: "Português", isDefault: false),
    ]

    static func make(in folder: String) async throws {
        try await StreamFixtures.shared.make()
        let clip = "\(StreamFixtures.folder)/clip.mp4"
        var inputs = [("v", ["-i", clip, "-map", "0:v", "-c", "copy"])]
        for (name, frequency) in [("en", 300), ("de", 500), ("pt", 700)] {
            inputs.append((name, ["-f", "lavfi", "-i", "sine=\(frequency):r=48000", "-t", "6", "-c:a", "aac"]))
        }
        for (name, input) in inputs {
            try await Peer.run(
                "ffmpeg",
                ["-v", "error"] + input + ["-f", "hls", "-hls_time", "1", "-hls_playlist_type", "vod"]
                    + ["-hls_segment_type", "fmp4", "-hls_fmp4_init_filename", "\(name)-init.mp4"]
                    + ["\(folder)/\(name).m3u8"])
        }
        try multivariant.write(toFile: "\(folder)/\(entry)", atomically: true, encoding: .utf8)
    }

    static func audioTracks(of file: String) async throws -> [AudioTrack] {
        struct Report: Decodable {
            struct Stream: Decodable {
                var disposition: [String: Int]
                var tags: [String: String]?
            }
            var streams: [Stream]
        }
        let output = try await Peer.run(
            "ffprobe",
            ["-v", "error", "-of", "json", "-select_streams", "a"]
                + ["-show_entries", "stream=index:stream_tags:stream_disposition", file])
        return try JSONDecoder().decode(Report.self, from: output).streams.map { stream in
            AudioTrack(
                language: stream.tags?["language"] ?? "", name: stream.tags?["handler_name"] ?? "",
                isDefault: stream.disposition["default"] == 1)
        }
    }

    private static let multivariant = """
        #EXTM3U
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="English",LANGUAGE="en",AUTOSELECT=YES,URI="en.m3u8"
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="Deutsch",LANGUAGE="de",DEFAULT=YES,AUTOSELECT=YES,URI="de.m3u8"
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="Português",LANGUAGE="pt-BR",AUTOSELECT=YES,URI="pt.m3u8"
        #EXT-X-STREAM-INF:BANDWIDTH=600000,CODECS="avc1.42C00D,mp4a.40.2",RESOLUTION=320x180,AUDIO="a"
        v.m3u8

        """
}
