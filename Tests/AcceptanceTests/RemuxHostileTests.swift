import Foundation
import Testing

extension CommandAcceptanceTests {
    /// Tests of `remux` with playlists that contain impossible byte ranges.
    @Suite(.enabled(if: try Peer.isInstalled("nginx")))
    struct RemuxHostileTests {
        @Test(arguments: ["#EXT-X-BYTERANGE:1@9223372036854775806", "#EXT-X-BYTERANGE:0@9223372036854775807"])
        func refusesImpossibleByteRange(range: String) async throws {
            let folder = try TemporaryFolder("hostile")
            try Data(repeating: 0x47, count: 3000).write(to: URL(filePath: folder.file("a.ts")))
            try "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n\(range)\na.ts\n#EXT-X-ENDLIST\n"
                .write(toFile: folder.file("index.m3u8"), atomically: true, encoding: .utf8)
            let origin = try await NginxOrigin(serving: folder.path)
            let result = try await MediaCacheBinary.run([
                "remux", origin.url("index.m3u8").absoluteString, "-o", folder.file("film.mp4"), "--cache",
                folder.file("cache"),
            ])
            #expect(result.ending == .exit(1), "\(result.errorText)")
            #expect(result.errorText.contains("a.ts"), "\(result.errorText)")
        }
    }
}
