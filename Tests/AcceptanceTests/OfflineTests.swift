import Foundation
import Testing

extension CommandAcceptanceTests {
    /// Tests of playback from `/library/<id>/` and from a bundle, without an origin.
    @Suite(.enabled(if: try Peer.isInstalled("nginx", "ffmpeg", "ffprobe", "openssl", "gzip")))
    struct OfflineTests {
        private struct Imported: Decodable {
            var asset: String
            var libraryURL: String
            var entry: String
            var parts: Int
            var isAlreadyImported: Bool

            func url() throws -> URL {
                guard let url = URL(string: libraryURL + entry) else {
                    throw HarnessError("invalid URL: \(libraryURL)")
                }
                return url
            }
        }

        private func imported(_ path: String, into cache: String, _ options: String...) async throws -> Imported {
            try await MediaCacheBinary.decoded(["import", path, "--json", "--cache", cache] + options)
        }

        private func libraryURL(_ server: RunningServer) async throws -> URL {
            struct List: Decodable { var assets: [Item] }
            struct Item: Decodable { var libraryURL: String }
            let list = try JSONDecoder().decode(List.self, from: try await server.api("/api/v1/assets"))
            guard list.assets.count == 1, let url = URL(string: list.assets[0].libraryURL) else {
                throw HarnessError("expected one asset: \(list)")
            }
            return url
        }

        @Test(arguments: [OfflineStream.clear, .rotatingKeys, .separate], try StreamPlayer.installed())
        func playersPlayDownloadedStream(stream: OfflineStream, player: StreamPlayer) async throws {
            let source = try TemporaryFolder("source")
            try await stream.make(in: source.path)
            let origin = try await NginxOrigin(serving: source.path)
            let cache = try TemporaryFolder("cache")
            let server = try await RunningServer(cache: cache.path)
            try await MediaCacheBinary.output(["get", "\(origin.url(OfflineStream.entry))", "--cache", cache.path])
            origin.stop()
            var url = try await libraryURL(server).appending(path: OfflineStream.entry)
            // Pages of other sites need a token to read the library.
            if player == .chromium,
                let path = URL(string: "/k/\(try await server.playbackToken())\(url.path)", relativeTo: url)
            {
                url = path.absoluteURL
            }
            let playback = try await player.play(url)
            #expect(playback.hasAudio)
            // VLC and Chromium drop a few frames at the start or end.
            let minimum = player.reportsFrames ? StreamFixtures.videoFrames : StreamFixtures.videoFrames * 9 / 10
            #expect(minimum...StreamFixtures.videoFrames ~= playback.videoFrames, "\(playback.videoFrames) frames")
            try await server.stop()
        }

        /// A player of an unfinished download waits for missing bytes without an error, and no byte is requested twice.
        @Test func playsUnfinishedDownload() async throws {
            let source = try TemporaryFolder("source")
            try await OfflineStream.rotatingKeys.make(in: source.path)
            let origin = try await NginxOrigin(serving: source.path, bytesPerSecond: 30 << 10)
            let cache = try TemporaryFolder("cache")
            let server = try await RunningServer(cache: cache.path)
            let key = try await server.key()
            let get = try ChildProcess(
                MediaCacheBinary.path,
                ["get", "\(origin.url(OfflineStream.entry))", "--quiet", "--transfers", "1", "--cache", cache.path])
            _ = try await eventually("bytes are received") {
                try ListedDownload.all(of: server, key: key).contains { $0.bytes > 0 } ? () : nil
            }
            let url = try await libraryURL(server)
            #expect(get.ending == nil)
            let playback = try await StreamPlayer.ffmpeg.play(url)
            #expect(playback.videoFrames == StreamFixtures.videoFrames && playback.hasAudio)
            #expect(try await get.end(within: .seconds(60)) == .exit(0), "\(get.errorText)")
            let log = try await origin.log()
            // A fill that yields to the player closes its connection, and a later request continues at the next byte.
            for path in Set(log.entries.map(\.path)) where path.hasSuffix(".ts") || path.hasSuffix(".bin") {
                let sent = log.of(String(path.dropFirst()))
                #expect(
                    sent.entries.count { !$0.isCut } == 1 && sent.repeatedBytes <= sent.bytesInFlight, "\(log.summary)")
            }
            try await server.stop()
        }

        /// A bundle contains all media without encryption, compression or hidden prefixes, and is imported as the same
        /// asset.
        @Test(arguments: OfflineStream.allCases)
        func bundlePlaysFromDiskAndIsImported(stream: OfflineStream) async throws {
            let source = try TemporaryFolder("source")
            try await stream.make(in: source.path)
            let cache = try TemporaryFolder("cache")
            let output = try TemporaryFolder("output")
            let bundle = output.file("film")
            let asset = try await imported(source.path, into: cache.path)
            let printed = try await MediaCacheBinary.output(
                ["export", asset.asset, "--bundle", bundle, "-q", "--cache", cache.path])
            #expect(printed.contains("\(asset.parts) parts"))
            let again = try await MediaCacheBinary.run(
                ["export", asset.asset, "--bundle", bundle, "-q", "--cache", cache.path])
            #expect(again.ending == .exit(1) && again.errorText.contains("already exists"))

            let fromDisk = try await StreamPlayer.ffmpeg.play(URL(filePath: "\(bundle)/index.m3u8"))
            #expect(fromDisk.videoFrames == StreamFixtures.videoFrames && fromDisk.hasAudio)
            let left = try FileManager.default.contentsOfDirectory(atPath: output.path)
            #expect(left == ["film"])

            let file = try await MediaCacheBinary.output(
                ["export", asset.asset, "-o", output.file("film.mp4"), "-q", "--json", "--cache", cache.path])
            #expect(!file.contains("/k/") && !file.contains("/library/"), "\(file)")
            let movie = try await StreamPlayer.ffmpeg.play(URL(filePath: output.file("film.mp4")))
            #expect(movie.videoFrames == StreamFixtures.videoFrames && movie.hasAudio)

            let other = try TemporaryFolder("other")
            let server = try await RunningServer(cache: other.path)
            let back = try await imported(bundle, into: other.path, "--trust-urls")
            #expect(!back.isAlreadyImported && back.parts == asset.parts)
            let played = try await StreamPlayer.ffmpeg.play(try back.url())
            #expect(played.frames == fromDisk.frames)
            let whole = back.libraryURL + "media.mp4"
            let remuxed = try await StreamPlayer.ffmpeg.play(try #require(URL(string: whole)))
            #expect(remuxed.videoFrames == StreamFixtures.videoFrames && remuxed.hasAudio)
            #expect(try await imported(bundle, into: other.path, "--trust-urls").isAlreadyImported)
            // Without --trust-urls the import creates a separate asset.
            let own = try await imported(bundle, into: other.path)
            #expect(!own.isAlreadyImported && own.asset != back.asset)
            try await server.stop()
        }

        /// The entry of an imported film is `file.mp4`. Its bundle contains the same file and can be imported.
        @Test func importsFileAndExportsBundle() async throws {
            try await StreamFixtures.shared.make()
            let cache = try TemporaryFolder("cache")
            let output = try TemporaryFolder("output")
            let asset = try await imported("\(StreamFixtures.folder)/clip.mp4", into: cache.path)
            #expect(asset.entry == "file.mp4")
            try await MediaCacheBinary.output(
                ["export", "clip", "--bundle", output.file("film"), "-q", "--cache", cache.path])
            let clip = try Data(contentsOf: URL(filePath: "\(StreamFixtures.folder)/clip.mp4"))
            #expect(try Data(contentsOf: URL(filePath: output.file("film/file.mp4"))) == clip)
            #expect(try await !imported(output.file("film"), into: output.file("cache")).isAlreadyImported)
        }

        @Test func doesNotReadOutsideImportedFolder() async throws {
            let folder = try TemporaryFolder("hostile")
            let secret = try TemporaryFolder("secret")
            try Data(repeating: 0x47, count: 1880).write(to: URL(filePath: secret.file("secret.ts")))
            try FileManager.default.createSymbolicLink(
                atPath: folder.file("link.ts"), withDestinationPath: secret.file("secret.ts"))
            let name = (secret.path as NSString).lastPathComponent
            for reference in [
                "link.ts", "../\(name)/secret.ts", "%2e%2e/\(name)/secret.ts", "%2E%2E%2F\(name)%2Fsecret.ts",
                secret.file("secret.ts"), "file://\(secret.file("secret.ts"))", "http://127.0.0.1:9/secret.ts",
            ] {
                let text = "#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\n\(reference)\n#EXT-X-ENDLIST\n"
                try text.write(toFile: folder.file("index.m3u8"), atomically: true, encoding: .utf8)
                let result = try await MediaCacheBinary.run(["import", folder.path, "--cache", folder.file("cache")])
                #expect(result.ending == .exit(1), "\(reference): \(result.text)")
            }
        }
    }
}
