import Foundation
import Testing

extension CommandAcceptanceTests {
    /// Tests of `/library`, which serves cached media without their original URL and without the origin.
    @Suite(.enabled(if: try Peer.isInstalled("nginx", "ffmpeg", "ffprobe", "curl")))
    struct LibraryTests {
        /// A played stream is served as an MP4 file with all frames. Its bytes are the same in any range and after a
        /// restart.
        @Test(arguments: [StreamKind.encryptedAbsolute, .separateAudio, .byteRanges, .fragmentedMP4])
        func servesPlayedStreamAsMP4(kind: StreamKind) async throws {
            try await StreamFixtures.shared.make()
            let folder = try TemporaryFolder("cache")
            let output = try TemporaryFolder("output")
            let options = ["--cache", folder.path]
            let origin = try await NginxOrigin(serving: StreamFixtures.folder)
            let playlist = origin.url(try kind.playlist(at: origin))
            let direct = try await StreamPlayer.ffmpeg.play(playlist)
            try await MediaCacheBinary.output(
                ["remux", playlist.absoluteString, "-o", output.file("played.mp4"), "-q"] + options)
            let before = try await origin.log().entries.count

            let server = try await RunningServer(cache: folder.path)
            let link = try await MediaCacheBinary.output(["url", "--mp4", playlist.absoluteString] + options)
            #expect(link.contains("/library/") && !link.contains("origin"), "\(link)")
            let url = try #require(URL(string: link))
            let played = try await StreamPlayer.ffmpeg.play(url)
            #expect(played.sums() == direct.sums())
            #expect(played.hasAudio)
            let whole = try await Peer.run("curl", ["-sSf", link])
            for range in [0..<1000, whole.count / 2..<whole.count / 2 + 70_000, whole.count - 500..<whole.count] {
                let part = try await Peer.run(
                    "curl", ["-sSf", "-r", "\(range.lowerBound)-\(range.upperBound - 1)", link])
                #expect(part == whole[range], "\(range)")
            }
            let frame = try await Peer.run(
                "curl", ["-sSf", url.deletingLastPathComponent().absoluteString + "frame.jpg?t=1"])
            #expect(frame.starts(with: [0xFF, 0xD8, 0xFF]))
            let late = try await Peer.run(
                "curl",
                ["-sS", "-o", "/dev/null", "-w", "%{http_code}"]
                    + [url.deletingLastPathComponent().absoluteString + "frame.jpg?t=1000"])
            #expect(String(decoding: late, as: UTF8.self) == "404")
            let tag = try await Peer.run("curl", ["-sSI", link])
            try await server.stop()

            let again = try await RunningServer(cache: folder.path)
            let other = try await MediaCacheBinary.output(["url", "--mp4", playlist.absoluteString] + options)
            #expect(URL(string: other)?.path == url.path)
            #expect(try await Peer.run("curl", ["-sSf", other]) == whole)
            #expect(Self.tag(try await Peer.run("curl", ["-sSI", other])) == Self.tag(tag))
            #expect(Self.tag(tag) != nil)
            try await again.stop()
            #expect(try await origin.log().entries.count == before)
        }

        @Test func refusesPartialStream() async throws {
            try await StreamFixtures.shared.make()
            let folder = try TemporaryFolder("cache")
            let options = ["--cache", folder.path]
            let origin = try await NginxOrigin(serving: StreamFixtures.folder)
            let playlist = origin.url("transportstream.m3u8")
            let nothing = try await MediaCacheBinary.run(["url", "--mp4", playlist.absoluteString] + options)
            #expect(nothing.ending == .exit(1))
            let server = try await RunningServer(cache: folder.path)
            _ = try await Peer.run("curl", ["-sSf", "\(try await server.play(playlist))"])
            let link = try await MediaCacheBinary.output(["url", "--mp4", playlist.absoluteString] + options)
            let answer = String(
                decoding: try await Peer.run("curl", ["-sS", "-w", " %{http_code}", link]), as: UTF8.self)
            #expect(answer.hasSuffix(" 404") && answer.contains(" lacks ") && answer.contains("segments"), "\(answer)")
            try await server.stop()
        }

        private static func tag(_ head: Data) -> String? {
            String(decoding: head, as: UTF8.self).split(separator: "\r\n").first { $0.hasPrefix("ETag:") }
                .map(String.init)
        }
    }
}
