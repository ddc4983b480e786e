import Foundation
import TestSupport
import Testing

extension CommandAcceptanceTests {
    /// Tests of the subcommands, exit codes and JSON, with and without a server on the folder.
    @Suite(.enabled(if: try Peer.isInstalled("nginx")))
    struct CommandTests {
        @Test(arguments: [
            ["frobnicate"], ["get"], ["url"], ["serve", "--port", "many"], ["serve", "--max-size", "some"],
            ["list", "--no-such-option"], ["get", "ftp://example.com/film.mp4"],
        ])
        func usageErrorsExitWith64(arguments: [String]) async throws {
            let result = try await MediaCacheBinary.run(arguments)
            #expect(result.ending == .exit(64))
            #expect(!result.errorText.isEmpty)
        }

        @Test func failuresPrintOneLine() async throws {
            try await Fixtures.shared.clips()
            let origin = try await NginxOrigin(serving: Fixtures.folder)
            let folder = try TemporaryFolder("cache")
            let refusing = try RefusingPort()
            defer { refusing.close() }
            let failures = [
                (["get", "\(origin.url("missing.mp4"))"], "404"),
                (
                    ["get", "http://127.0.0.1:\(refusing.number)/film.mp4"],
                    "connection refused by 127.0.0.1:\(refusing.number);"
                ),
                (["info", "http://example.com/never-seen.mp4"], "never-seen.mp4"),
                (["get", "film.mp4"], "there is no item “film.mp4”; check its URL, ID or title"),
                (["inspect", "A film"], "“A film” is neither a file nor the ID or title of an item;"),
                (["url", "http://example.com/film.mp4"], "serve"),
            ]
            for (arguments, reason) in failures {
                let result = try await MediaCacheBinary.run(arguments + ["--cache", folder.path])
                #expect(result.ending == .exit(1), "\(arguments): \(result.text) \(result.errorText)")
                // Standard error also has lines of progress.
                let lines = result.errorText.split(separator: "\n").filter { $0.hasPrefix("mediacache: ") }
                #expect(lines.count == 1, "\(arguments): \(result.errorText)")
                #expect(result.errorText.split(separator: "\n").last == lines.first)
                #expect(lines.first?.contains(reason) == true, "\(arguments): \(result.errorText)")
            }
        }

        @Test(arguments: [false, true])
        func fetchesListsAndRemovesResource(owned: Bool) async throws {
            try await Fixtures.shared.clips()
            let clip = "\(Fixtures.folder)/\(Fixtures.moovLast)"
            let origin = try await NginxOrigin(serving: Fixtures.folder)
            let folder = try TemporaryFolder("cache")
            let output = try TemporaryFolder("output")
            let server = owned ? try await RunningServer(cache: folder.path) : nil
            let source = origin.url(Fixtures.moovLast).absoluteString
            let options = ["--cache", folder.path]

            try await MediaCacheBinary.output(["get", source, "-o", output.file("clip.mp4")] + options)
            #expect(FileManager.default.contentsEqual(atPath: output.file("clip.mp4"), andPath: clip))
            let listed = try await ListedResource.all(in: folder.path)
            #expect(listed.keys.sorted() == [source])
            #expect(listed[source]?.complete == true)
            #expect(listed[source]?.bytesCached == listed[source]?.length)
            let complete = try await MediaCacheBinary.output(["list", "--resources", "--complete", "--json"] + options)
            #expect(complete.contains(source))
            let partial = try await MediaCacheBinary.output(["list", "--resources", "--partial", "--json"] + options)
            #expect(!partial.contains(source))
            let info = try await MediaCacheBinary.object(["info", source, "--json"] + options)
            #expect(info["url"] as? String == source)
            #expect(info["type"] as? String == "video/mp4")
            #expect(try await MediaCacheBinary.object(["usage", "--json"] + options)["resources"] as? Int == 1)
            #expect(try await Verification.run(in: folder.path).output.resources == 1)
            _ = try await MediaCacheBinary.object(["prune", "--json"] + options)

            // A second `get` fetches no byte. Removing the resource doesn't affect the copied file.
            let before = try await origin.log()
            try await MediaCacheBinary.output(["get", source] + options)
            #expect(try await origin.log().since(before).bodyBytes == 0)
            try await MediaCacheBinary.output(["remove", source] + options)
            #expect(try await ListedResource.all(in: folder.path).isEmpty)
            #expect(FileManager.default.contentsEqual(atPath: output.file("clip.mp4"), andPath: clip))
            try await server?.stop()
        }

        @Test func outputIsSameWithAndWithoutServer() async throws {
            try await Fixtures.shared.clips()
            let origin = try await NginxOrigin(serving: Fixtures.folder)
            let folder = try TemporaryFolder("cache")
            let source = origin.url(Fixtures.moovFirst).absoluteString
            let options = ["--cache", folder.path]
            try await MediaCacheBinary.output(["get", source] + options)
            let commands = [
                ["list", "--json"], ["list"], ["info", source, "--json"], ["info", source], ["usage", "--json"],
                ["verify", "--json"], ["verify"], ["remove", "http://example.com/not-here.mp4"],
                ["info", "http://example.com/not-here.mp4"],
            ]
            var alone: [MediaCacheBinary.Result] = []
            for command in commands { alone.append(try await MediaCacheBinary.run(command + options)) }
            let server = try await RunningServer(cache: folder.path)
            for (command, before) in zip(commands, alone) {
                let result = try await MediaCacheBinary.run(command + options)
                #expect(result.ending == before.ending, "\(command)")
                #expect(Self.withoutVaryingValues(result.text) == Self.withoutVaryingValues(before.text), "\(command)")
                #expect(result.errorText == before.errorText, "\(command)")
            }
            // A second server on the same folder fails, and its error has the process ID of the first.
            let second = try await MediaCacheBinary.run(["serve", "--port", "0"] + options, within: .seconds(20))
            #expect(second.ending == .exit(1))
            #expect(second.errorText.contains("\(server.process.processID)"), "\(second.errorText)")
            try await server.stop()
        }

        @Test func reportsPortInUse() async throws {
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
        func reportsAddressOfAnotherHost(_ host: String, _ reason: String) async throws {
            let folder = try TemporaryFolder("cache")
            let result = try await MediaCacheBinary.run(
                ["serve", "--host", host, "--port", "0", "--cache", folder.path], within: .seconds(20))
            #expect(result.ending == .exit(1))
            #expect(
                result.errorText.contains("\(host):0: ") && result.errorText.contains(reason), "\(result.errorText)")
        }

        /// When the `get` that owns the folder ends for any reason, a waiting `get` continues.
        @Test(arguments: [nil, SIGINT, SIGKILL])
        func waitingGetContinuesWhenFolderOwnerEnds(signal: Int32?) async throws {
            let file = try await Fixtures.shared.random(Fixtures.medium)
            try await Fixtures.shared.clips()
            // The owner still downloads when it receives the signal.
            let slow = try await NginxOrigin(serving: Fixtures.folder, bytesPerSecond: 4 << 20)
            let origin = try await NginxOrigin(serving: Fixtures.folder, bytesPerSecond: 20 << 20)
            let folder = try TemporaryFolder("cache")
            let options = ["--quiet", "--cache", folder.path]
            let source = signal == nil ? Fixtures.moovFirst : Fixtures.medium
            let owner = try ChildProcess(MediaCacheBinary.path, ["get", "\(slow.url(source))"] + options)
            _ = try await eventually("the owner has published its address") {
                let lock = FileManager.default.contents(atPath: folder.file("lock")) ?? Data()
                return String(decoding: lock, as: UTF8.self).contains("address") ? true : nil
            }
            let output = folder.file("copy.bin")
            let other = try ChildProcess(
                MediaCacheBinary.path, ["get", "\(origin.url(Fixtures.medium))", "-o", output] + options)
            if let signal {
                try await eventually("the owner runs the other download", within: .seconds(60)) {
                    let list = try await MediaCacheBinary.output(["downloads", "--json", "--cache", folder.path])
                    return list.contains("\(origin.url(Fixtures.medium))\"") ? () : nil
                }
                owner.signal(signal)
            }
            #expect(try await other.end(within: .seconds(60)) == .exit(0), "\(other.errorText)")
            let ending = try await owner.end(within: .seconds(20))
            #expect(ending == (signal == nil ? .exit(0) : signal == SIGINT ? .exit(130) : .signal(SIGKILL)))
            #expect(FileManager.default.contentsEqual(atPath: output, andPath: file.path))
        }

        /// Ctrl-C ends `get` with 130. The next `get` requests only the missing bytes.
        @Test func getResumesInterruptedDownload() async throws {
            let file = try await Fixtures.shared.random(Fixtures.medium)
            let origin = try await NginxOrigin(serving: Fixtures.folder, bytesPerSecond: 10 << 20)
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
            let messages = first.errorText.split(separator: "\n").filter { !$0.contains("%") }
            #expect(messages.count == 1 && messages[0].hasPrefix("mediacache: interrupted;"), "\(first.errorText)")
            let cached = try await ListedResource.all(in: folder.path).values.first?.bytesCached ?? 0
            #expect(cached > 0)

            let output = folder.file("copy.bin")
            let middle = try await origin.log()
            try await MediaCacheBinary.output(arguments + ["-o", output])
            let sent = try await origin.log().since(middle)
            #expect(sent.bodyBytes == Int64(file.count) - cached, "\(sent.summary)")
            #expect(FileManager.default.contentsEqual(atPath: output, andPath: file.path))
        }

        /// Returns the text without values that vary between runs: times, free disk space, and the server's limit.
        private static func withoutVaryingValues(_ text: String) -> String {
            text.replacing(#/\s*"(freeDiskBytes|maximumBytes)"\s*:\s*\d+,?/#, with: "")
                .replacing(#/\d{4}-\d\d-\d\dT[\d:.]+Z/#, with: "")
                .replacing(#/[\d.,]+ ?[KMGT]i?B free/#, with: "")
                // Each process serves the library at an address of its own.
                .replacing(#/http:\/\/127\.0\.0\.1:\d+\/library/#, with: "/library")
        }
    }
}
