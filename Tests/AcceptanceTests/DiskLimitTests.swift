import Foundation
import Testing

extension AcceptanceTests {
    /// Tests of cache limits on a small file system.
    @Suite(.enabled(if: try Peer.isInstalled("nginx") && MountedFolder.canMount()))
    struct DiskLimitTests {
        private static let part = 0..<3_000_000

        /// Plays the first 3 MB of each of twenty resources. Returns the least number of free bytes observed.
        private func playTwenty(
            _ server: RunningServer, _ origin: NginxOrigin, in folder: MountedFolder
        ) async throws -> Int64 {
            let file = try await Fixtures.shared.random(Fixtures.medium)
            var leastFree = Int64.max
            for copy in 0..<20 {
                let source = try #require(URL(string: "\(origin.url(Fixtures.medium))?copy=\(copy)"))
                let url = try await server.play(source)
                let connection = try HTTPConnection(to: url)
                _ = try connection.request(url, range: Self.part)
                #expect(try connection.firstDifference(from: file, at: 0) == nil)
                leastFree = min(leastFree, try folder.freeBytes())
            }
            return leastFree
        }

        @Test(arguments: [["--min-free", "20MB"], ["--min-free", "0", "--max-size", "12MB"]])
        func respectsLimitsDuringPlayback(_ limits: [String]) async throws {
            let origin = try await NginxOrigin(serving: Fixtures.folder)
            let folder = try await MountedFolder(mebibytes: 40)
            let server = try await RunningServer(cache: folder.path, command: ["serve"] + limits)
            let leastFree = try await playTwenty(server, origin, in: folder)
            // The limits don't include the catalog's write-ahead log of up to 4 MB.
            #expect(leastFree > 15_000_000, "\(leastFree) bytes were free")
            let options = ["--cache", folder.path]
            try await MediaCacheBinary.output(["prune"] + options)
            try await MediaCacheBinary.output(["remove", "--all"] + options)
            let left = try await ListedResource.all(in: folder.path)
            #expect(left.isEmpty, "\(left)")
            try await server.stop()
        }

        /// When other programs fill the disk, playback continues, and cached resources can still be removed.
        @Test func removesResourcesFromFullDisk() async throws {
            let origin = try await NginxOrigin(serving: Fixtures.folder)
            let folder = try await MountedFolder(mebibytes: 40)
            let server = try await RunningServer(cache: folder.path)
            _ = try await playTwenty(server, origin, in: folder)
            try folder.fill()
            #expect(try folder.freeBytes() == 0)
            let file = try await Fixtures.shared.random(Fixtures.medium)
            let url = try await server.play(origin.url(Fixtures.medium))
            let connection = try HTTPConnection(to: url)
            _ = try connection.request(url, range: Self.part)
            #expect(try connection.firstDifference(from: file, at: 0) == nil)

            let options = ["--cache", folder.path]
            try await MediaCacheBinary.output(["remove", "--all"] + options)
            #expect(try folder.freeBytes() > 20_000_000)
            let left = try await ListedResource.all(in: folder.path)
            #expect(left.isEmpty, "\(left)")
            try await server.stop()
            let (ending, verification) = try await Verification.run(in: folder.path)
            #expect(ending == .exit(0), "\(verification.findings)")
        }

        @Test func leavesNoUncataloguedBlobOnTinyDisk() async throws {
            let origin = try await NginxOrigin(serving: Fixtures.folder)
            let folder = try await MountedFolder(mebibytes: 2)
            let server = try await RunningServer(cache: folder.path)
            let file = try await Fixtures.shared.random(Fixtures.medium)
            let url = try await server.play(origin.url(Fixtures.medium))
            for _ in 0..<3 {
                let connection = try HTTPConnection(to: url)
                _ = try connection.request(url, range: Self.part)
                #expect(try connection.firstDifference(from: file, at: 0) == nil)
            }
            try await MediaCacheBinary.output(["remove", "--all", "--cache", folder.path])
            #expect(try CacheFolder.blobs(in: folder.path).isEmpty)
            try await server.stop()
        }
    }
}
