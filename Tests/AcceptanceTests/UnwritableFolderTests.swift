import Foundation
import Testing

extension AcceptanceTests {
    /// Cache folders that can't be written, and those that can't be read: what the commands make of them.
    @Suite(.enabled(if: try Peer.present("nginx", "ffmpeg")))
    struct UnwritableFolderTests {
        enum Obstacle: CaseIterable { case readOnly, full }

        /// What is kept is listed, checked, played and copied out; what isn't says why not.
        @Test(.enabled(if: try MountedFolder.canMount()), arguments: Obstacle.allCases)
        func whatIsThereCanBeRead(obstacle: Obstacle) async throws {
            try await Fixtures.shared.clips()
            let file = try MappedFile("\(Fixtures.folder)/\(Fixtures.moovFirst)")
            let origin = try await NginxOrigin(serving: Fixtures.folder)
            let folder = try await MountedFolder(mebibytes: 64)
            let kept = origin.url(Fixtures.moovFirst)
            let here = ["--cache", folder.path]
            try await MediaCacheBinary.output(["get", "\(kept)", "--min-free", "0"] + here)
            switch obstacle {
            case .readOnly: try await folder.makeReadOnly()
            case .full: try folder.fill()
            }
            origin.stop()

            let listed = try await KeptResource.all(in: folder.path)
            #expect(listed.keys.sorted() == [kept.absoluteString])
            #expect(listed.values.allSatisfy { $0.complete })
            #expect(try await MediaCacheBinary.output(["info", "\(kept)"] + here).contains("100%"))
            #expect(try await Verification.run(in: folder.path).said.bytes == Int64(file.count))
            let output = try TemporaryFolder("output")
            try await MediaCacheBinary.output(["get", "\(kept)", "-o", output.file("clip.mp4")] + here)
            #expect(FileManager.default.contentsEqual(atPath: output.file("clip.mp4"), andPath: file.path))

            let server = try await RunningServer(cache: folder.path)
            let url = try await server.play(kept)
            let isRight = try await onThread {
                let connection = try HTTPConnection(to: url)
                let head = try connection.request(url)
                return try connection.firstDifference(from: file, at: 0) == nil && head.status == 200
            }
            #expect(isRight)
            #expect(try await KeptResource.all(in: folder.path).count == 1)
            try await server.stop()
            let name = (folder.path as NSString).lastPathComponent
            #expect(server.process.errorText.contains("\(name) can't be written"))

            for command in [["remove", "\(kept)"], ["prune"]] {
                let result = try await MediaCacheBinary.run(command + here)
                #expect(result.ending == .exit(1))
                #expect(result.errorText.contains("\(name) can't be written"), "\(result.errorText)")
            }
        }

        @Test(.enabled(if: try MountedFolder.canMount()))
        func aGetSaysWhyNothingIsKept() async throws {
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

        /// Nothing is known of what such a folder holds: saying that nothing is kept would be wrong.
        @Test(arguments: [["list"], ["verify"], ["usage"], ["info", "http://h/a.mp4"], ["remove", "http://h/a.mp4"]])
        func aFolderThatCannotBeReadIsAnError(command: [String]) async throws {
            let folder = try TemporaryFolder("blocked")
            try Data("in the way".utf8).write(to: URL(fileURLWithPath: folder.file("file")))
            let result = try await MediaCacheBinary.run(command + ["--cache", folder.file("file/cache")])
            #expect(result.ending == .exit(1))
            #expect(result.text.isEmpty)
            #expect(result.errorText.contains("file/cache can't be read"), "\(result.errorText)")
            #expect(result.errorText.split(separator: "\n").count == 1, "\(result.errorText)")
        }
    }
}
