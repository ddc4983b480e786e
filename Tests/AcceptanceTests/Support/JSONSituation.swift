import Foundation
import TestSupport

/// The situations in which each command's JSON is recorded. Each starts from a reproducible state.
enum JSONSituation {
    private static let stream = "transportstream.m3u8"
    private static let lastSegment = "transportstream5.ts"

    /// Returns the text of a playlist with a missing segment, or of a live playlist with a gap, which grows in two
    /// stages and then ends.
    @Sendable private static func text(of path: String, _ stage: Int) -> String? {
        guard path == "holes.m3u8" || path == "gap.m3u8" else { return nil }
        let made = (try? String(contentsOfFile: "\(StreamFixtures.folder)/\(stream)", encoding: .utf8)) ?? ""
        guard path == "gap.m3u8" else { return made.replacing("transportstream3", with: "gone") }
        let live = made.replacing("#EXT-X-PLAYLIST-TYPE:VOD\n", with: "")
        guard stage < 2, let end = live.range(of: "transportstream\(stage + 1).ts\n") else {
            return live.replacing("transportstream3.ts", with: "#EXT-X-GAP\ntransportstream3.ts")
        }
        return String(live[..<end.upperBound])
    }

    /// Records commands that use a folder without a server, and commands that use files.
    static func withoutServer(_ transcript: inout JSONTranscript) async throws {
        let (folder, output) = (try TemporaryFolder("cache"), try TemporaryFolder("output"))
        let cacheOptions = ["--cache", folder.path]
        let origin = try StagedOrigin(serving: StreamFixtures.folder, holding: [stream, lastSegment], texts: text)
        let (clip, film) = (origin.url("clip.mp4"), origin.url(stream))
        let result: [JSONTranscript.Line] = [["event": "result"]]

        // The first state is reported before the resource is known, and progress once its length is known.
        let get = try JSONTranscript.start("get", [film] + cacheOptions)
        try await get.line(within: .seconds(60)) { $0.contains(#""state":"running""#) ? () : nil }
        origin.release(stream)
        try await get.line(within: .seconds(60)) { line in
            line.contains(#""event":"progress""#) && line.contains(#""length":"#) ? () : nil
        }
        origin.release(lastSegment)
        try await transcript.end(
            get, "get", "a stream",
            lines: [
                ["event": "state", "state": "running"], ["event": "progress", "length": JSONTranscript.any],
                ["event": "state", "state": "complete"],
                ["event": "result"],
            ])
        try await transcript.run(
            "get", "a file copied to the output", [clip, "-o", output.file("clip.mp4")] + cacheOptions, lines: result)
        try await transcript.run(
            "get", "a stream copied to the output", [film, "-o", output.file("film.mp4")] + cacheOptions, lines: result)
        try await transcript.run(
            "get", "a segment is missing at the origin", [origin.url("holes.m3u8")] + cacheOptions, lines: result)
        try await transcript.run(
            "get", "nothing is available", [origin.url("nothing.mp4")] + cacheOptions, lines: result)
        try await transcript.run("list", "files and streams", cacheOptions)
        try await transcript.run("list", "their resources", ["--resources"] + cacheOptions)
        try await transcript.run("list", "nothing", ["--cache", output.file("empty")])
        try await transcript.run("info", "a file", [clip] + cacheOptions)
        try await transcript.run("info", "a stream", [film] + cacheOptions)
        try await transcript.run("downloads list", "complete, with holes, failed", cacheOptions)
        try await transcript.run("usage", "a folder", cacheOptions)
        try await transcript.run(
            "settings", "changed", ["--hours", "23:00-07:00", "--limit-rate", "9MB/s", "--retries", "4"] + cacheOptions)
        try await transcript.run(
            "settings", "back to the defaults", ["--hours", "any", "--limit-rate", "none"] + cacheOptions)
        try await transcript.run("verify", "no damage", cacheOptions)
        try await transcript.run("prune", "a folder", cacheOptions)
        try await transcript.run(
            "config show", "with a channel", ["--channel", "news=\(film)", "--port", "0"] + cacheOptions)
        // Other checks depend on the machine, but an unreachable origin is a failure everywhere.
        let refusing = try RefusingPort()
        defer { refusing.close() }
        let unreachable = "http://127.0.0.1:\(refusing.number)/film.mp4"
        try await transcript.run("doctor", "the origin doesn't respond", [unreachable, "--port", "0"] + cacheOptions)

        try await transcript.run(
            "preload", "one of two is available", [film, origin.url("nothing.mp4"), "--segments", "1"] + cacheOptions)

        let media = StreamFixtures.folder
        try await transcript.run("inspect", "a multivariant playlist", ["\(media)/separateaudio.m3u8"] + cacheOptions)
        try await transcript.run("inspect", "a media playlist", ["\(media)/\(stream)"] + cacheOptions)
        try await transcript.run("inspect", "MP4", [clip] + cacheOptions)
        try await transcript.run("inspect", "a transport stream", ["\(media)/transportstream0.ts"] + cacheOptions)
        try await transcript.run("faststart", "a file", ["\(media)/clip.mp4", output.file("fast.mp4")])
        try await transcript.run("remux", "a stream", ["\(media)/\(stream)", "-o", output.file("remuxed.mp4")])
        try await transcript.run("export", "a stream", [film, "-o", output.file("exported.mp4")] + cacheOptions)
        try await transcript.run(
            "export", "a segment isn't cached",
            [origin.url("holes.m3u8"), "--gaps", "-o", output.file("gaps.mp4")] + cacheOptions)
        try await transcript.run("export", "a folder", [film, "--bundle", output.file("bundle")] + cacheOptions)
        try await transcript.run(
            "export", "a folder with a gap",
            [origin.url("holes.m3u8"), "--gaps", "--bundle", output.file("parts")] + cacheOptions)
        let otherCache = ["--cache", output.file("other")]
        try await transcript.run("import", "a folder", [output.file("bundle")] + otherCache)
        try await transcript.run("import", "a file", ["\(media)/clip.mp4", "--title", "A film"] + otherCache)
        try await transcript.run(
            "cover", "a frame", [clip, "--at", "1", "-o", output.file("frame.jpg"), "--keep"] + cacheOptions)
        try await transcript.run("cover", "a stored cover", [clip] + cacheOptions)
        try await transcript.run("cover", "removed", [clip, "--remove"] + cacheOptions)
        try await transcript.run("cover", "all removed", ["--remove-all"] + cacheOptions)
        try await transcript.run("token create", "for playback", ["--label", "tv"] + cacheOptions)
        try await transcript.run("token create", "for an asset", ["--asset", film, "--expires", "7d"] + cacheOptions)
        try await transcript.run("token list", "three", cacheOptions)
        try await transcript.run("token revoke", "the standing token", ["standing"] + cacheOptions)
        try await transcript.run("key show", "a folder", cacheOptions)
        try await transcript.run("key roll", "a folder", cacheOptions)
        try await transcript.run(
            "remove", "cached and unknown resources", [clip, origin.url("never.mp4")] + cacheOptions)

        let blobs = try CacheFolder.blobs(in: folder.path)
        for blob in blobs { try CacheFolder.flipBits(in: blob, at: [0]) }
        try await transcript.run("verify", "damage", cacheOptions)
        try await transcript.run("remove", "everything", ["--all", "--pinned"] + cacheOptions)
    }

    /// Records the events of a running server, and the commands on its channel.
    static func withServer(_ transcript: inout JSONTranscript) async throws {
        let folder = try TemporaryFolder("cache")
        let cacheOptions = ["--cache", folder.path]
        let origin = try StagedOrigin(
            serving: StreamFixtures.folder, holding: ["gap.m3u8"], texts: text)
        let server = try await RunningServer(cache: folder.path)
        let key = try await server.key()
        let watch = try JSONTranscript.start("downloads watch", cacheOptions)
        // The first event shows that the command is connected.
        var number = 0
        try await eventually("downloads watch has reported an event", within: .seconds(60), every: .milliseconds(200)) {
            number += 1
            let url = origin.url("nothing.mp4?\(number)")
            _ = try server.call("POST", "/api/v1/downloads", key: key, #"{"url": "\#(url)"}"#)
            return watch.outputText.contains("\n") ? () : nil
        }
        let get = try await MediaCacheBinary.run(["get", origin.url("holes.m3u8"), "--json"] + cacheOptions)
        let last = try JSONValue(get.text.split(separator: "\n").last ?? "")
        guard let asset = last.text("asset") else { throw HarnessError("no asset: \(get.text) \(get.errorText)") }
        let segment = origin.url(lastSegment)
        try await watch.line(within: .seconds(60)) { line in
            line.contains("resource.progress") && line.contains(segment) ? () : nil
        }
        // The removal is reported in the same stream, so all earlier events have been reported by then.
        try await MediaCacheBinary.output(["remove", "holes"] + cacheOptions)
        try await watch.line(within: .seconds(60)) { line in
            line.contains("download.removed") && line.contains(asset) ? () : nil
        }
        let detached = try JSONTranscript.start(
            "record", [origin.url("gap.m3u8"), "--name", "news", "--detach"] + cacheOptions)
        try await transcript.end(detached, "record", "detached")
        for _ in 1...2 { origin.startNextStage() }
        origin.release("gap.m3u8")
        try await watch.line(within: .seconds(60)) { $0.contains(#""channelState":"ended""#) ? () : nil }
        try await transcript.run("channels list", "an ended channel", cacheOptions)
        try await transcript.run("channels gaps", "a segment was lost", ["news"] + cacheOptions)
        let window = try await Self.window(of: "news", cacheOptions)
        try await transcript.run(
            "channels programmes", "a new programme",
            ["news", "--add", "Match", "--format", "hls"] + window + cacheOptions)
        try await watch.line(within: .seconds(60)) { $0.contains(#""exportState":"done""#) ? () : nil }
        try await transcript.run("channels programmes", "all programmes of a channel", ["news"] + cacheOptions)
        try await transcript.run("channels list", "with a programme", cacheOptions)
        watch.signal(SIGINT)
        try await transcript.end(
            watch, "downloads watch", "a stream with a hole, then a channel",
            lines: [
                ["event": "download.added", "asset": asset],
                ["event": "download.state", "asset": asset, "state": "running"],
                ["event": "part.started", "asset": asset], ["event": "part.done", "asset": asset],
                ["event": "part.failed", "asset": asset], ["event": "resource.progress", "resource": segment],
                ["event": "download.progress", "asset": asset],
                ["event": "download.state", "asset": asset, "state": "completeWithHoles"],
                ["event": "download.removed", "asset": asset],
                ["event": "channel.state", "channelState": "recording"], ["event": "channel.segment"],
                ["event": "channel.gap"], ["event": "channel.state", "channelState": "ended"],
                ["event": "channel.export", "exportState": "done"],
            ])
        try await server.stop()
    }

    /// Records `record` until it ends, and other commands on its result.
    static func recording(_ transcript: inout JSONTranscript) async throws {
        let (folder, output) = (try TemporaryFolder("cache"), try TemporaryFolder("output"))
        let cacheOptions = ["--cache", folder.path]
        let segments = ["transportstream0.ts", "transportstream1.ts"]
        let origin = try StagedOrigin(
            serving: StreamFixtures.folder, holding: Set(["gap.m3u8"] + segments), texts: text)
        let record = try JSONTranscript.start("record", [origin.url("gap.m3u8"), "--name", "news"] + cacheOptions)
        try await record.line(within: .seconds(60)) { $0.contains(#""state":"starting""#) ? () : nil }
        origin.release("gap.m3u8")
        // There is no live edge before the first segment is recorded.
        try await record.line(within: .seconds(60)) { $0.contains(#""state":"recording""#) ? () : nil }
        for segment in segments { origin.release(segment) }
        try await record.line(within: .seconds(60)) { line in
            line.contains(#""event":"progress""#) && line.contains(#""edge":"#) ? () : nil
        }
        for _ in 1...2 { origin.startNextStage() }
        try await transcript.end(
            record, "record", "a stream with a gap",
            lines: [
                ["event": "state", "state": "starting"], ["event": "state", "state": "recording"],
                ["event": "progress", "edge": JSONTranscript.any], ["event": "gap"],
                ["event": "state", "state": "ended"], ["event": "result"],
            ])
        let window = try await Self.window(of: "news", cacheOptions)
        try await transcript.run(
            "export", "a window of a channel, with a gap",
            ["news", "--gaps", "-o", output.file("window.mp4")] + window + cacheOptions)
        try await transcript.run("channels programmes", "none", ["news"] + cacheOptions)
    }

    /// Records the output of each kind of failure.
    static func failing(_ transcript: inout JSONTranscript) async throws {
        let (folder, output) = (try TemporaryFolder("cache"), try TemporaryFolder("output"))
        let cacheOptions = ["--cache", folder.path]
        let origin = try StagedOrigin(serving: StreamFixtures.folder, holding: [stream], texts: text)
        try await transcript.run("get", "invalid usage")
        try await transcript.run("info", "nothing is cached", ["http://example.org/never.mp4"] + cacheOptions)
        try await transcript.run("remove", "an unknown resource", ["http://example.org/never.mp4"] + cacheOptions)
        try await transcript.run("downloads watch", "no server is running", cacheOptions)
        try await transcript.run("channels gaps", "an unknown channel", ["news"] + cacheOptions)
        try await transcript.run("token code", "no server shares the library", cacheOptions)
        let words = output.file("words.txt")
        try "Nothing to play.\n".write(toFile: words, atomically: true, encoding: .utf8)
        try await transcript.run("inspect", "not a media file", [words] + cacheOptions)
        try await transcript.run("export", "an unknown asset", ["nothing", "-o", output.file("x.mp4")] + cacheOptions)
        try await transcript.run("import", "an unknown folder", [output.file("nothing")] + cacheOptions)

        let interrupted: [JSONTranscript.Line] = [["event": "state", "state": "running"]]
        let get = try JSONTranscript.start("get", [origin.url(stream)] + cacheOptions)
        try await get.line(within: .seconds(60)) { $0.contains(#""state":"running""#) ? () : nil }
        get.signal(SIGINT)
        try await transcript.end(get, "get", "interrupted", lines: interrupted)

        let record = try JSONTranscript.start("record", [origin.url("nothing.m3u8"), "--name", "late"] + cacheOptions)
        try await record.line(within: .seconds(60)) { $0.contains(#""state":"waiting""#) ? () : nil }
        record.signal(SIGINT)
        try await transcript.end(
            record, "record", "interrupted before the first response",
            lines: [["event": "state", "state": "waiting"], ["event": "result"]])
    }

    private static func window(of name: String, _ cacheOptions: [String]) async throws -> [String] {
        let channels: [RecordedChannel.Status] = try await MediaCacheBinary.decoded(
            ["channels", "list", "--json"] + cacheOptions)
        guard let ranges = channels.first?.recordedRanges, let first = ranges.first, let last = ranges.last else {
            throw HarnessError("\(name) has no recorded span: \(channels)")
        }
        return ["--from", "\(first.from)", "--to", "\(last.to)"]
    }
}
