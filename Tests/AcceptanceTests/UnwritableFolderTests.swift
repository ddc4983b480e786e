import Foundation
import Testing

extension AcceptanceTests {
    /// Tests of commands on cache folders that can't be written or read.
    @Suite(.enabled(if: try Peer.isInstalled("nginx", "ffmpeg")))
    struct UnwritableFolderTests {
        enum Obstacle: CaseIterable { case readOnly, full }

        /// Cached resources can be listed, verified, played and copied. Other operations fail with an error that states
        /// the reason.
        @Test(.enabled(if: try MountedFolder.canMount()), arguments: Obstacle.allCases)
        func readsCachedResources(obstacle: Obstacle) async throws {
            try await Fixtures.shared.clips()
            let file = try MappedFile("\(Fixtures.folder)/\(Fixtures.moovFirst)")
            let origin = try await NginxOrigin(serving: Fixtures.folder)
            let folder = try await MountedFolder(mebibytes: 64)
            let cached = origin.url(Fixtures.moovFirst)
            let options = ["--cache", folder.path]
            try await MediaCacheBinary.output(["get", "\(cached)", "--min-free", "0"] + options)
            switch obstacle {
            case .readOnly: try await folder.makeReadOnly()
            case .full: try folder.fill()
            }
            origin.stop()

            let listed = try await ListedResource.all(in: folder.path)
            #expect(listed.keys.sorted() == [cached.absoluteString])
            #expect(listed.values.allSatisfy { $0.complete })
            #expect(try await MediaCacheBinary.output(["info", "\(cached)"] + options).contains("100%"))
            #expect(try await Verification.run(in: folder.path).output.bytes == Int64(file.count))
            let output = try TemporaryFolder("output")
            try await MediaCacheBinary.output(["get", "\(cached)", "-o", output.file("clip.mp4")] + options)
            #expect(FileManager.default.contentsEqual(atPath: output.file("clip.mp4"), andPath: file.path))

            let server = try await RunningServer(cache: folder.path)
            let url = try await server.play(cached)
            let isRight = try await onThread {
                let connection = try HTTPConnection(to: url)
                let head = try connection.request(url)
                return try connection.firstDifference(from: file, at: 0) == nil && head.status == 200
            }
            #expect(isRight)
            #expect(try await ListedResource.all(in: folder.path).count == 1)
            try await server.stop()
            let name = (folder.path as NSString).lastPathComponent
            #expect(server.process.errorText.contains("\(name) can't be written"))

            for command in [["remove", "\(cached)"], ["prune"]] {
                let result = try await MediaCacheBinary.run(command + options)
                #expect(result.ending == .exit(1))
                #expect(result.errorText.contains("\(name) can't be written"), "\(result.errorText)")
            }
        }

        @Test(.enabled(if: try MountedFolder.canMount()))
        func getReportsWhyNothingIsCached() async throws {
            try await Fixtures.shared.clips()
            let origin = try await NginxOrigin(serving: Fixtures.folder)
            let folder = try await MountedFolder(mebibytes: 16)
            try await folder.makeReadOnly()
            let result = try await MediaCacheBinary.run(
                ["get", "\(origin.url(Fixtures.moovFirst))", "--quiet", "--cache", folder.path])
            #expect(result.ending == .exit(1))
            #expect(result.errorText.contains("Read-only file system"), "\(result.errorText)")
            #expect(result.errorText.split(separator: "\n").count == 1, "\(result.errorText)")
        }

        /// An unreadable folder is an error, because whether it contains anything is unknown.
        @Test(arguments: [["list"], ["verify"], ["usage"], ["info", "http://h/a.mp4"], ["remove", "http://h/a.mp4"]])
        func unreadableFolderCausesError(command: [String]) async throws {
            let folder = try TemporaryFolder("blocked")
            try Data("a file instead of a folder".utf8).write(to: URL(fileURLWithPath: folder.file("file")))
            let result = try await MediaCacheBinary.run(command + ["--cache", folder.file("file/cache")])
            #expect(result.ending == .exit(1))
            #expect(result.text.isEmpty)
            #expect(result.errorText.contains("file/cache can't be read"), "\(result.errorText)")
            #expect(result.errorText.split(separator: "\n").count == 1, "\(result.errorText)")
        }
    }
}
