import Foundation
import Testing

extension CommandAcceptanceTests {
    /// Tests of `mediacache preload`, with and without a server on the folder.
    @Suite(.enabled(if: try Peer.isInstalled("nginx")))
    struct PreloadCommandTests {
        private struct Item: Decodable {
            var url: String
            var state: String
            var bytes: Int64
            var error: String?
        }

        @Test(arguments: [false, true])
        func preloadsBeginningAndIndex(owned: Bool) async throws {
            try await Fixtures.shared.clips()
            let origin = try await NginxOrigin(serving: Fixtures.folder)
            let folder = try TemporaryFolder("cache")
            let options = ["--cache", folder.path]
            let server = owned ? try await RunningServer(cache: folder.path) : nil
            let (clip, missing) = (
                origin.url(Fixtures.moovLast).absoluteString, origin.url("missing.mp4").absoluteString
            )
            let items: [Item] = try await MediaCacheBinary.decoded(
                ["preload", clip, "--bytes", "70kB", "--json"] + options)
            #expect(items.map(\.url) == [clip] && items.map(\.state) == ["ready"])
            let cached = try await ListedResource.all(in: folder.path)[clip]
            let length = try #require(cached?.length)
            #expect(cached?.spans.first?.start == 0 && cached?.spans.last?.end == length)
            #expect(cached?.complete == false && items[0].bytes == cached?.bytesCached)

            // Nothing is fetched again.
            let before = try await origin.log()
            let text = try await MediaCacheBinary.output(["preload", clip, "--bytes", "70kB"] + options)
            #expect(text.hasPrefix("Preloaded \(clip) ("))
            #expect(try await origin.log().since(before).bodyBytes == 0)

            let some = try await MediaCacheBinary.run(
                ["preload", clip, missing, "--bytes", "70kB", "--quiet"] + options)
            #expect(some.ending == .exit(2))
            #expect(some.errorText == "mediacache: 1 of 2 URLs couldn't be preloaded\n")
            let none = try await MediaCacheBinary.run(["preload", missing, "--quiet"] + options)
            #expect(none.ending == .exit(1) && none.text.contains("404"))
            try await server?.stop()
        }
    }
}
