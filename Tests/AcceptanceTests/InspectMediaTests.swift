import Foundation
import Testing

extension CommandAcceptanceTests {
    /// Tests of the requests and output of `inspect` for films.
    @Suite(.enabled(if: try Peer.isInstalled("nginx", "ffmpeg")))
    struct InspectMediaTests {
        /// The index is requested only once.
        @Test(arguments: [false, true])
        func readsOnlyIndexOfFilm(owned: Bool) async throws {
            try await Fixtures.shared.clips()
            let origin = try await NginxOrigin(serving: Fixtures.folder)
            let folder = try TemporaryFolder("cache")
            let server = owned ? try await RunningServer(cache: folder.path) : nil
            let url = origin.url(Fixtures.moovLast).absoluteString
            let arguments = ["inspect", url, "--json", "--cache", folder.path]
            let first = try await MediaCacheBinary.object(arguments)
            #expect(first["kind"] as? String == "mp4")
            #expect(first["fastStart"] as? Bool == false)
            #expect((first["tracks"] as? [[String: Any]])?.compactMap { $0["samples"] as? Int }.first == 1000)
            let length = try #require(first["size"] as? Int)
            let log = try await origin.log()
            #expect(log.bodyBytes < Int64(length) / 3, "\(log.bodyBytes) of \(length)")
            #expect(log.repeatedBytes == 0, "\(log.summary)")

            let second = try await MediaCacheBinary.object(arguments)
            #expect(NSDictionary(dictionary: first) == NSDictionary(dictionary: second))
            #expect(try await origin.log().since(log).bodyBytes == 0)
            try await server?.stop()
        }

        /// The format is determined by the content, not the name. A file and its URL have the same output.
        @Test func outputIsSameForFilesAndURLs() async throws {
            try await StreamFixtures.shared.make()
            let origin = try await NginxOrigin(serving: StreamFixtures.folder)
            let folder = try TemporaryFolder("cache")
            let options = ["--cache", folder.path]
            let segment = try #require(
                try FileManager.default.contentsOfDirectory(atPath: StreamFixtures.folder).sorted()
                    .first { $0.hasSuffix(".ts") })
            let misnamed = try TemporaryFolder("misnamed")
            let copy = misnamed.file("list.m3u8")
            try FileManager.default.copyItem(atPath: "\(StreamFixtures.folder)/\(segment)", toPath: copy)
            let named = try await MediaCacheBinary.output(["inspect", copy, "--packets"] + options)
            let remote = try await MediaCacheBinary.output(
                ["inspect", origin.url(segment).absoluteString, "--packets"] + options)
            #expect(named == remote)
            #expect(named.split(separator: "\n").count > 50)
            let other = try await NginxOrigin(serving: misnamed.path)
            let called = try await MediaCacheBinary.output(
                ["inspect", other.url("list.m3u8").absoluteString, "--packets"] + options)
            #expect(called == named)
        }

        @Test func failuresPrintNothingOnStandardOutput() async throws {
            let folder = try TemporaryFolder("cache")
            let playlist = folder.file("a.m3u8")
            try "#EXTM3U\n#EXTINF:5,\n1.ts\n".write(toFile: playlist, atomically: true, encoding: .utf8)
            for (arguments, code) in [
                (["--packets", playlist], 1), (["--packets", "--json", playlist], 64),
                (["--packets", "--strict", playlist], 64), (["--packets", folder.file("nothing.ts")], 1),
            ] {
                let result = try await MediaCacheBinary.run(["inspect", "--cache", folder.path] + arguments)
                #expect(result.ending == .exit(Int32(code)), "\(arguments): \(result.errorText)")
                #expect(result.output.isEmpty)
                #expect(!result.errorText.isEmpty)
            }
        }
    }
}
