import Foundation
import Testing

extension AcceptanceTests {
    /// Tests of `get` and `downloads` with nginx as the origin.
    @Suite(.enabled(if: try Peer.isInstalled("nginx", "ffmpeg", "curl")))
    struct DownloadTests {
        private static let stream = "\(StreamKind.transportStream.name).m3u8"

        private static func events(_ text: String) throws -> [[String: Any]] {
            try text.split(separator: "\n").map { line in
                guard let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else {
                    throw HarnessError("no JSON object: \(line)")
                }
                return object
            }
        }

        /// After Ctrl-C, the next `get` continues the download and requests no received byte again.
        @Test func continuesStreamAfterInterruption() async throws {
            let site = try await StreamFixtures.copy()
            let origin = try await NginxOrigin(serving: site.path, bytesPerSecond: 30 << 10)
            let folder = try TemporaryFolder("cache")
            let arguments = ["get", "\(origin.url(Self.stream))", "--cache", folder.path, "--min-free", "0"]
            let first = try ChildProcess(MediaCacheBinary.path, arguments + ["--transfers", "1"])
            // The rate is printed after a few seconds, in the middle of the download.
            try await eventually("the rate is printed", within: .seconds(30)) {
                first.errorText.contains("kB/s") ? () : nil
            }
            first.signal(SIGINT)
            #expect(try await first.end(within: .seconds(20)) == .exit(130), "\(first.errorText)")
            #expect(first.errorText.contains("run the same command to resume"), "\(first.errorText)")

            let output = folder.file("show.mp4")
            let result = try await MediaCacheBinary.run(arguments + ["-o", output])
            #expect(result.ending == .exit(0), "\(result.errorText)")
            let files = try FileManager.default.contentsOfDirectory(atPath: site.path).filter { $0.hasSuffix(".ts") }
            let length = try files.reduce(0) { sum, name in
                sum + (try FileManager.default.attributesOfItem(atPath: site.file(name))[.size] as? Int ?? 0)
            }
            let sent = try await origin.log()
            // Less than 200 kB were sent twice: the bytes in flight at the signal.
            #expect(sent.bodyBytes < Int64(length) + 200_000, "\(sent.summary)")
            #expect(try await ListedResource.all(in: folder.path).count == files.count + 1)

            // All segments are cached, so the origin isn't needed.
            origin.stop()
            try await MediaCacheBinary.output(arguments)
        }

        @Test func downloadsSeveralURLs() async throws {
            try await Fixtures.shared.clips()
            let origin = try await NginxOrigin(serving: Fixtures.folder)
            let folder = try TemporaryFolder("cache")
            let output = try TemporaryFolder("output")
            let list = folder.file("urls.txt")
            try "# films\n\n\(origin.url(Fixtures.moovLast))\n".write(toFile: list, atomically: true, encoding: .utf8)
            let result = try await MediaCacheBinary.run([
                "get", "\(origin.url(Fixtures.moovFirst))", "--input-file", list, "-o", output.path, "--json",
                "--jobs", "1", "--cache", folder.path, "--min-free", "0",
            ])
            #expect(result.ending == .exit(0), "\(result.errorText)")
            for name in [Fixtures.moovFirst, Fixtures.moovLast] {
                #expect(
                    FileManager.default.contentsEqual(
                        atPath: output.file(name), andPath: "\(Fixtures.folder)/\(name)"))
            }
            let events = try Self.events(result.text)
            let results = events.filter { $0["event"] as? String == "result" }
            #expect(results.count == 2 && results.allSatisfy { $0["complete"] as? Bool == true })
            for result in results {
                #expect(result["method"] is String && result["output"] is String && result["url"] is String)
                #expect(result["bytes"] as? Int == result["length"] as? Int && result["format"] as? String == "mp4")
            }
            #expect(events.last?["event"] as? String == "result")
            #expect(events.contains { $0["event"] as? String == "state" && $0["state"] as? String == "complete" })
        }

        @Test func reportsFailedURL() async throws {
            try await Fixtures.shared.clips()
            let origin = try await NginxOrigin(serving: Fixtures.folder)
            let folder = try TemporaryFolder("cache")
            let result = try await MediaCacheBinary.run([
                "get", "\(origin.url(Fixtures.moovFirst))", "\(origin.url("missing.mp4"))", "--cache", folder.path,
                "--min-free", "0",
            ])
            #expect(result.ending == .exit(1))
            #expect(result.text.contains("Downloaded \(origin.url(Fixtures.moovFirst))"))
            #expect(result.errorText.contains("missing.mp4 responded with 404"), "\(result.errorText)")
            #expect(result.errorText.contains("1 of 2 downloads are incomplete"), "\(result.errorText)")
        }

        @Test func reportsMissingSegment() async throws {
            let site = try await StreamFixtures.copy()
            let missing = "\(StreamKind.transportStream.name)2.ts"
            try FileManager.default.removeItem(atPath: site.file(missing))
            let origin = try await NginxOrigin(serving: site.path)
            let folder = try TemporaryFolder("cache")
            let arguments = ["get", "\(origin.url(Self.stream))", "--cache", folder.path, "--min-free", "0"]
            let result = try await MediaCacheBinary.run(arguments)
            #expect(result.ending == .exit(2), "\(result.errorText)")
            let line = try #require(result.errorText.split(separator: "\n").first { $0.hasPrefix("missing: ") })
            #expect(line.contains(missing) && line.contains("404") && line.contains(" to "), "\(line)")
            let again = try await MediaCacheBinary.run(arguments + ["--json"])
            #expect(again.ending == .exit(2))
            let end = try #require(try Self.events(again.text).last)
            #expect(end["complete"] as? Bool == false && end["holeCount"] as? Int == 1)
        }

        @Test func pausesAndResumesServerDownload() async throws {
            let file = try await Fixtures.shared.random(Fixtures.medium)
            let origin = try await NginxOrigin(serving: Fixtures.folder, bytesPerSecond: 10 << 20)
            let folder = try TemporaryFolder("cache")
            let options = ["--cache", folder.path]
            let server = try await RunningServer(cache: folder.path)
            let url = "\(origin.url(Fixtures.medium))"
            let get = try ChildProcess(MediaCacheBinary.path, ["get", url, "--quiet"] + options)
            func state() async throws -> (String, Int) {
                let text = try await MediaCacheBinary.output(["downloads", "--json"] + options)
                let list = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]]
                return (list?.first?["state"] as? String ?? "", list?.first?["bytes"] as? Int ?? 0)
            }
            _ = try await eventually("bytes are received") { try await state().1 > 0 ? () : nil }
            try await MediaCacheBinary.output(["downloads", "pause", url] + options)
            let paused = try await state()
            #expect(paused.0 == "paused" && paused.1 < file.count)
            _ = try await origin.log()
            #expect(try await state().1 == paused.1)
            #expect(get.ending == nil)
            try await MediaCacheBinary.output(["downloads", "resume", "--all"] + options)
            #expect(try await get.end(within: .seconds(60)) == .exit(0), "\(get.errorText)")
            #expect(try await state().0 == "complete")
            try await server.stop()
        }

        /// Without a server, `resume` downloads in its own process. `cancel` removes the received bytes.
        @Test func resumesAndCancelsWithoutServer() async throws {
            try await Fixtures.shared.clips()
            let origin = try await NginxOrigin(serving: Fixtures.folder)
            let folder = try TemporaryFolder("cache")
            let options = ["--cache", folder.path]
            let server = try await RunningServer(cache: folder.path)
            let url = "\(origin.url(Fixtures.moovFirst))"
            try await Peer.run(
                "curl",
                [
                    "-sf", "-H", "Authorization: Bearer \(try await server.key())", "\(server.base)/api/v1/downloads",
                    "-d", #"{"url":"\#(url)","title":"One","paused":true}"#,
                ])
            try await server.stop()
            let listed = try await MediaCacheBinary.output(["downloads"] + options)
            #expect(listed.contains("paused") && listed.contains("One"), "\(listed)")
            try await MediaCacheBinary.output(["downloads", "resume", "One"] + options)
            #expect(try await ListedResource.all(in: folder.path)[url]?.complete == true)
            try await MediaCacheBinary.output(["downloads", "cancel", "One"] + options)
            #expect(try await ListedResource.all(in: folder.path).isEmpty)
            let again = try await MediaCacheBinary.run(["downloads", "cancel", "One"] + options)
            #expect(again.ending == .exit(1) && again.errorText.contains("One"), "\(again.errorText)")
        }

        @Test func curlReceivesEvents() async throws {
            try await Fixtures.shared.clips()
            let origin = try await NginxOrigin(serving: Fixtures.folder)
            let folder = try TemporaryFolder("cache")
            let server = try await RunningServer(cache: folder.path)
            let key = try await server.key()
            let curl = try ChildProcess(
                Peer.required("curl"),
                ["-sN", "-H", "Authorization: Bearer \(key)", "\(server.base)/api/v1/events"])
            _ = try await eventually("the event stream is open") { curl.outputText.contains("retry:") ? () : nil }
            let watch = try ChildProcess(
                MediaCacheBinary.path, ["downloads", "watch", "--json", "--cache", folder.path])
            try await MediaCacheBinary.output(["get", "\(origin.url(Fixtures.moovFirst))", "--cache", folder.path])
            _ = try await eventually("the end of the download is reported") {
                curl.outputText.contains("\"state\":\"complete\"") ? () : nil
            }
            for event in ["download.added", "download.state", "part.started", "part.done"] {
                #expect(curl.outputText.contains("event: \(event)\n"), "\(event): \(curl.outputText)")
            }
            // Once the command shows events, it handles the signal. If it was too late for those of the first download,
            // further downloads cause events.
            try await eventually("the command shows events", within: .seconds(60)) {
                if let ending = watch.ending { throw HarnessError("watch: \(ending): \(watch.errorText)") }
                let hasEvents = !watch.outputText.isEmpty
                if !hasEvents {
                    let url = "\(origin.url(Fixtures.moovFirst))?\(UUID().uuidString)"
                    try await MediaCacheBinary.output(["get", url, "--cache", folder.path])
                }
                return hasEvents ? () : nil
            }
            watch.signal(SIGINT)
            #expect(try await watch.end(within: .seconds(20)) == .exit(130))
            try await server.stop()
            #expect(try await curl.end(within: .seconds(20)) == .exit(0))
        }
    }
}
