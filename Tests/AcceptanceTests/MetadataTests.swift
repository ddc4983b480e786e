import Foundation
import Testing

extension CommandAcceptanceTests {
    /// Tests of the metadata that ffmpeg writes.
    @Suite(.enabled(if: try Peer.isInstalled("nginx", "ffmpeg", "ffprobe")))
    struct MetadataTests {
        private struct Item: Decodable { var title: String?, artist: String?, album: String? }
        private struct Details: Decodable {
            struct Asset: Decodable {
                var title: String?, artist: String?, albumArtist: String?, album: String?, genre: String?
                var track: Int?, trackCount: Int?, disc: Int?, year: Int?, season: Int?, episode: Int?
                var show: String?, description: String?, duration: Double?
            }
            var asset: Asset?
        }

        private static let tags = [
            "title": "Fjäll 山", "artist": "Anna Ek", "album_artist": "Various", "album": "North", "genre": "Folk",
            "track": "3/12", "disc": "1", "date": "1998",
        ]

        private static func make(
            _ path: String, _ tags: [String: String], _ options: [String], inputs: [String] = []
        ) async throws {
            let metadata = tags.flatMap { ["-metadata", "\($0.key)=\($0.value)"] }
            let tone = ["-v", "error", "-f", "lavfi", "-i", "sine=440:r=44100"]
            try await Peer.run("ffmpeg", tone + inputs + ["-t", "3"] + metadata + options + [path])
        }

        @Test(
            arguments: [
                ("song.mp3", ["-id3v2_version", "3"]), ("song.mp3", ["-id3v2_version", "4"]), ("song.m4a", []),
                ("song.m4a", ["-movflags", "+faststart"]),
            ] as [(String, [String])])
        func readsSong(name: String, options: [String]) async throws {
            let folder = try TemporaryFolder("songs")
            try await Self.make(folder.file(name), Self.tags, options)
            let origin = try await NginxOrigin(serving: folder.path)
            let url = origin.url(name).absoluteString
            let cache = ["--cache", folder.file("cache")]
            try await MediaCacheBinary.output(["get", url] + cache)
            let items: [Item] = try await MediaCacheBinary.decoded(["list", "--json"] + cache)
            #expect(items.map(\.title) == ["Fjäll 山"] && items.map(\.artist) == ["Anna Ek"])
            let details: Details = try await MediaCacheBinary.decoded(["info", url, "--json"] + cache)
            let asset = try #require(details.asset)
            #expect(asset.title == "Fjäll 山" && asset.artist == "Anna Ek" && asset.albumArtist == "Various")
            #expect(asset.album == "North" && asset.genre == "Folk" && asset.year == 1998)
            #expect(asset.track == 3 && asset.trackCount == 12 && asset.disc == 1)
            #expect(abs(try #require(asset.duration) - 3) < 0.1)
            let text = try await MediaCacheBinary.output(["info", url] + cache)
            #expect(text.contains("Anna Ek") && text.contains("3 of 12"), "\(text)")
        }

        /// Tags and artwork are copied into each kind of output, also of a part of the file.
        @Test(arguments: [
            ("song.m4a", "out.m4a", false), ("song.m4a", "out.mp4", false), ("film.mp4", "out.m4v", false),
            ("song.m4a", "out.m4a", true), ("film.mp4", "out.mp4", true),
        ])
        func remuxKeepsTagsAndArtwork(input: String, output: String, isClip: Bool) async throws {
            let folder = try TemporaryFolder("songs")
            let picture = folder.file("picture.png")
            try await Peer.run(
                "ffmpeg", ["-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x64", "-frames:v", "1", picture])
            try await Self.make(
                folder.file(input), Self.tags,
                ["-map", "0", "-map", "1", "-c:v", "copy", "-disposition:v", "attached_pic"], inputs: ["-i", picture])
            if isClip {
                let cache = ["--cache", folder.file("cache")]
                try await MediaCacheBinary.output(["import", folder.file(input)] + cache)
                try await MediaCacheBinary.output(
                    ["export", "Fjäll 山", "--from", "1", "-o", folder.file(output), "-q"] + cache)
            } else {
                try await MediaCacheBinary.output(["remux", folder.file(input), "-o", folder.file(output), "-q"])
            }
            let shown = try await Peer.run(
                "ffprobe",
                ["-v", "error", "-show_entries", "format_tags=title,artist,track", "-of", "csv=p=0"]
                    + [folder.file(output)])
            #expect(String(decoding: shown, as: UTF8.self).contains("Anna Ek"))
            let cover = folder.file("cover.png")
            try await MediaCacheBinary.output(["cover", folder.file(output), "-o", cover])
            #expect(FileManager.default.contents(atPath: cover) == FileManager.default.contents(atPath: picture))
        }

        @Test func readsEpisodeOfImport() async throws {
            let folder = try TemporaryFolder("films")
            let tags = [
                "title": "Pilot", "show": "Series", "season_number": "2", "episode_sort": "11", "description": "About",
            ]
            try await Self.make(folder.file("film.mp4"), tags, ["-c:a", "aac"])
            let cache = ["--cache", folder.file("cache")]
            let text = try await MediaCacheBinary.output(["import", folder.file("film.mp4")] + cache)
            #expect(text.contains("Pilot"), "\(text)")
            let server = try await RunningServer(cache: cache[1])
            let response = try await server.api("/api/v1/assets")
            struct List: Decodable { var assets: [Details.Asset] }
            let asset = try #require(try JSONDecoder().decode(List.self, from: response).assets.first)
            #expect(asset.title == "Pilot" && asset.show == "Series" && asset.season == 2 && asset.episode == 11)
            #expect(asset.description == "About")
            try await server.stop()
        }
    }
}
