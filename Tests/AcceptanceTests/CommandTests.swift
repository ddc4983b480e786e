import Foundation
import Testing

extension AcceptanceTests {
    /// The command's subcommands, exit codes and JSON, with a folder nobody owns and with a server on it.
    @Suite(.enabled(if: try Peer.present("nginx")))
    struct CommandTests {
        @Test(arguments: [
            ["frobnicate"], ["get"], ["url"], ["serve", "--port", "many"], ["serve", "--max-size", "some"],
            ["list", "--no-such-option"], ["get", "ftp://example.com/film.mp4"], ["get", "film.mp4"],
        ])
        func usageErrorsAre64(arguments: [String]) async throws {
            let result = try await MediaCacheBinary.run(arguments)
            #expect(result.ending == .exit(64))
            #expect(!result.errorText.isEmpty)
        }

        /// 1, and one line that says what and why.
        @Test func failuresAreOneLine() async throws {
            try await Fixtures.shared.clips()
            let origin = try await NginxOrigin(serving: Fixtures.folder)
            let folder = try TemporaryFolder("cache")
            let nobody = try FreePort.next()
            let failures = [
                (["get", "\(origin.url("missing.mp4"))"], "404"),
                (["get", "http://127.0.0.1:\(nobody)/film.mp4"], "nothing listens at 127.0.0.1:\(nobody);"),
                (["info", "http://example.com/never-seen.mp4"], "never-seen.mp4"),
                (["url", "http://example.com/film.mp4"], "serve"),
            ]
            for (arguments, reason) in failures {
                let result = try await MediaCacheBinary.run(arguments + ["--cache", folder.path])
                #expect(result.ending == .exit(1), "\(arguments): \(result.text) \(result.errorText)")
                // Progress goes to standard error too, in lines of its own.
                let lines = result.errorText.split(separator: "\n").filter { $0.hasPrefix("mediacache: ") }
                #expect(lines.count == 1, "\(arguments): \(result.errorText)")
                #expect(result.errorText.split(separator: "\n").last == lines.first)
                #expect(lines.first?.contains(reason) == true, "\(arguments): \(result.errorText)")
            }
        }

        /// Keeping, listing and removing one resource.
        @Test(arguments: [false, true])
        func resourceIsKeptListedAndRemoved(owned: Bool) async throws {
            try await Fixtures.shared.clips()
            let clip = "\(Fixtures.folder)/\(Fixtures.moovLast)"
            let origin = try await NginxOrigin(serving: Fixtures.folder)
            let folder = try TemporaryFolder("cache")
            let output = try TemporaryFolder("output")
            let server = owned ? try await RunningServer(cache: folder.path) : nil
            let source = origin.url(Fixtures.moovLast).absoluteString
            let here = ["--cache", folder.path]

            try await MediaCacheBinary.output(["get", source, "-o", output.file("clip.mp4")] + here)
            #expect(FileManager.default.contentsEqual(atPath: output.file("clip.mp4"), andPath: clip))
            let listed = try await KeptResource.all(in: folder.path)
            #expect(listed.keys.sorted() == [source])
            #expect(listed[source]?.complete == true)
            #expect(listed[source]?.bytesCached == listed[source]?.length)
            let complete = try await MediaCacheBinary.output(["list", "--complete", "--json"] + here)
            #expect(complete.contains(source))
            let partial = try await MediaCacheBinary.output(["list", "--partial", "--json"] + here)
            #expect(!partial.contains(source))
            let info = try await Self.object(["info", source, "--json"] + here)
            #expect(info["url"] as? String == source)
            #expect(info["type"] as? String == "video/mp4")
            #expect(try await Self.object(["usage", "--json"] + here)["resources"] as? Int == 1)
            #expect(try await Verification.run(in: folder.path).said.resources == 1)
            _ = try await Self.object(["prune", "--json"] + here)

            // Once more costs nothing, and a player's copy isn't touched by removing ours.
            let before = try await origin.log()
            try await MediaCacheBinary.output(["get", source] + here)
            #expect(try await origin.log().since(before).bodyBytes == 0)
            try await MediaCacheBinary.output(["remove", source] + here)
            #expect(try await KeptResource.all(in: folder.path).isEmpty)
            #expect(FileManager.default.contentsEqual(atPath: output.file("clip.mp4"), andPath: clip))
            try await server?.stop()
        }

        /// Commands say the same of a folder whether they open it or ask its owner.
        @Test func ownedFolderSaysTheSame() async throws {
            try await Fixtures.shared.clips()
            let origin = try await NginxOrigin(serving: Fixtures.folder)
            let folder = try TemporaryFolder("cache")
            let source = origin.url(Fixtures.moovFirst).absoluteString
            let here = ["--cache", folder.path]
            try await MediaCacheBinary.output(["get", source] + here)
            let commands = [
                ["list", "--json"], ["list"], ["info", source, "--json"], ["info", source], ["usage", "--json"],
                ["verify", "--json"], ["verify"], ["remove", "http://example.com/not-here.mp4"],
                ["info", "http://example.com/not-here.mp4"],
            ]
            var alone: [MediaCacheBinary.Result] = []
            for command in commands { alone.append(try await MediaCacheBinary.run(command + here)) }
            let server = try await RunningServer(cache: folder.path)
            for (command, before) in zip(commands, alone) {
                let result = try await MediaCacheBinary.run(command + here)
                #expect(result.ending == before.ending, "\(command)")
                #expect(Self.steady(result.text) == Self.steady(before.text), "\(command)")
                #expect(result.errorText == before.errorText, "\(command)")
            }
            // A second server on the folder is told who has it.
            let second = try await MediaCacheBinary.run(["serve", "--port", "0"] + here, within: .seconds(20))
            #expect(second.ending == .exit(1))
            #expect(second.errorText.contains("\(server.process.processID)"), "\(second.errorText)")
            try await server.stop()
        }

        /// A port that is taken is named.
        @Test func takenPortIsNamed() async throws {
            let origin = try await NginxOrigin(serving: Fixtures.folder)
            let folder = try TemporaryFolder("cache")
            let result = try await MediaCacheBinary.run(
                ["serve", "--port", "\(origin.port)", "--cache", folder.path], within: .seconds(20))
            #expect(result.ending == .exit(1))
            #expect(result.errorText.contains("\(origin.port)"), "\(result.errorText)")
        }

        @Test(arguments: [
            ("203.0.113.7", "this machine has no such address"), ("no-such-name.invalid", "has no address"),
        ])
        func anAddressThatIsNotOursIsNamed(_ host: String, _ reason: String) async throws {
            let folder = try TemporaryFolder("cache")
            let result = try await MediaCacheBinary.run(
                ["serve", "--host", host, "--port", "0", "--cache", folder.path], within: .seconds(20))
            #expect(result.ending == .exit(1))
            #expect(
                result.errorText.contains("\(host):0: ") && result.errorText.contains(reason), "\(result.errorText)")
        }

        /// A `get` that owns the folder, however it ends, takes no other one down.
        @Test(arguments: [nil, SIGINT, SIGKILL])
        func getsOutliveTheOneThatOwnsTheFolder(signal: Int32?) async throws {
            let file = try await Fixtures.shared.random(Fixtures.medium)
            try await Fixtures.shared.clips()
            let origin = try await NginxOrigin(serving: Fixtures.folder, bytesPerSecond: 20 << 20)
            let folder = try TemporaryFolder("cache")
            let here = ["--quiet", "--cache", folder.path]
            let source = signal == nil ? Fixtures.moovFirst : Fixtures.medium
            let owner = try ChildProcess(MediaCacheBinary.path, ["get", "\(origin.url(source))?owner"] + here)
            _ = try await eventually("the owner says where it answers") {
                let lock = FileManager.default.contents(atPath: folder.file("lock")) ?? Data()
                return String(decoding: lock, as: UTF8.self).contains("address") ? true : nil
            }
            let output = folder.file("copy.bin")
            let other = try ChildProcess(
                MediaCacheBinary.path, ["get", "\(origin.url(Fixtures.medium))", "-o", output] + here)
            try await Task.sleep(for: .seconds(1))
            if let signal { owner.signal(signal) }
            #expect(try await other.end(within: .seconds(60)) == .exit(0), "\(other.errorText)")
            let ending = try await owner.end(within: .seconds(20))
            #expect(ending == (signal == nil ? .exit(0) : signal == SIGINT ? .exit(130) : .signal(SIGKILL)))
            #expect(FileManager.default.contentsEqual(atPath: output, andPath: file.path))
        }

        /// Ctrl-C ends `get` with 130; the next one goes on where it was.
        @Test func interruptedGetGoesOn() async throws {
            let file = try await Fixtures.shared.random(Fixtures.medium)
            let origin = try await NginxOrigin(serving: Fixtures.folder, bytesPerSecond: 30 << 20)
            let folder = try TemporaryFolder("cache")
            let arguments = ["get", "\(origin.url(Fixtures.medium))", "--cache", folder.path]
            let first = try ChildProcess(MediaCacheBinary.path, arguments)
            try await eventually("bytes are cached", within: .seconds(30)) {
                let names = FileManager.default.subpaths(atPath: folder.path) ?? []
                let lengths = names.filter { $0.hasSuffix(".bin") }.map { name in
                    let attributes = try? FileManager.default.attributesOfItem(atPath: folder.file(name))
                    return attributes?[.size] as? Int ?? 0
                }
                return lengths.contains { $0 > 1 << 20 } ? () : nil
            }
            first.signal(SIGINT)
            #expect(try await first.end(within: .seconds(20)) == .exit(130))
            let said = first.errorText.split(separator: "\n").filter { !$0.contains("%") }
            #expect(said.count == 1 && said[0].hasPrefix("mediacache: interrupted;"), "\(first.errorText)")
            let kept = try await KeptResource.all(in: folder.path).values.first?.bytesCached ?? 0
            #expect(kept > 0)

            let output = folder.file("copy.bin")
            let middle = try await origin.log()
            try await MediaCacheBinary.output(arguments + ["-o", output])
            let sent = try await origin.log().since(middle)
            #expect(sent.bodyBytes == Int64(file.count) - kept, "\(sent.summary)")
            #expect(FileManager.default.contentsEqual(atPath: output, andPath: file.path))
        }

        private static func object(_ arguments: [String]) async throws -> [String: Any] {
            let text = try await MediaCacheBinary.output(arguments)
            guard let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] else {
                throw HarnessError("\(arguments): no JSON object: \(text)")
            }
            return object
        }

        /// The text less what changes by itself: times, free space on the disk, and the limit its owner was started with.
        private static func steady(_ text: String) -> String {
            text.replacing(#/\s*"(freeDiskBytes|maximumBytes)"\s*:\s*\d+,?/#, with: "")
                .replacing(#/\d{4}-\d\d-\d\dT[\d:.]+Z/#, with: "")
                .replacing(#/[\d.,]+ ?[KMGT]i?B free/#, with: "")
        }
    }
}
