import Foundation
import HLS

/// The benchmarks of playlists with 100,000 segments: the library `HLS` in this process against libraries in other
/// languages, and a whole process that reads a playlist against ffprobe.
struct PlaylistSpeed: Benchmark {
    let options: Options
    let report: Report

    func run() async throws {
        let folder = try TemporaryFolder("bench")
        let playlists = GeneratedPlaylist.Form.allCases.map { GeneratedPlaylist($0) }
        let paths = try playlists.map { try $0.write(to: folder) }
        report.say("")
        let peers = [try await PlaylistPeer.python(paths[0], report), try await PlaylistPeer.node(paths[0], report)]

        report.begin("Parsing a playlist of \(GeneratedPlaylist.segmentCount) segments")
        for (playlist, path) in zip(playlists, paths) {
            for peer in peers.compactMap({ $0 }) {
                try report.add(
                    await Comparison.alternating(
                        "parse, \(playlist.form.rawValue)", peer: peer.name, unit: "MB/s", rounds: options.rounds,
                        ours: { playlist.megabytes / (try Stopwatch.seconds { try Self.parsed(playlist.bytes) }) },
                        theirs: { try await peer.megabytesPerSecond(playlist, at: path) }))
            }
        }
        try await start(paths[0])
        try alone(playlists)
        try await memory(playlists, paths)
    }

    // MARK: - Comparison with ffprobe

    /// Compares reading a playlist with ffprobe, which opens it like a player based on ffmpeg. The segments that
    /// ffprobe reads are links to one short clip.
    private func start(_ path: String) async throws {
        guard try Peer.isInstalled("ffmpeg", "ffprobe") else { return }
        let clip = try TemporaryFolder("bench")
        let whole = clip.file("whole.m3u8")
        try FileManager.default.copyItem(atPath: path, toPath: whole)
        let short = clip.file("short.m3u8")
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        try (lines.prefix(4 + 2 * 10) + ["#EXT-X-ENDLIST", ""]).joined(separator: "\n")
            .write(toFile: short, atomically: true, encoding: .utf8)
        try await Peer.run(
            "ffmpeg",
            ["-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x64:r=25:d=5.5", "-c:v", "mpeg2video", "-f", "mpegts"]
                + [clip.file("segment-0.ts")])
        for index in 1..<20 {
            try FileManager.default.linkItem(
                atPath: clip.file("segment-0.ts"), toPath: clip.file("segment-\(index).ts"))
        }
        report.begin("Whole process that reads the playlist, ms (a ratio below 1: ours is faster)")
        for (name, file) in [("all segments", whole), ("ten segments", short)] {
            try report.add(
                await Comparison.alternating(
                    "read and parse \(GeneratedPlaylist.segmentCount) segments", peer: "ffprobe, \(name)", unit: "ms",
                    rounds: options.rounds,
                    ours: { try await PlaylistProcess.milliseconds(whole) },
                    theirs: { try await Self.probe(file) }))
        }
    }

    private static func probe(_ path: String) async throws -> Double {
        let child = try ChildProcess(
            Peer.required("ffprobe"), ["-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", path])
        guard try await child.end(within: .seconds(120)) == .exit(0), child.errorText.isEmpty,
            let elapsed = child.elapsed
        else { throw HarnessError("ffprobe: \(child.errorText)") }
        return elapsed.milliseconds
    }

    // MARK: - MediaCache only

    private func alone(_ playlists: [GeneratedPlaylist]) throws {
        report.beginAlone("The library HLS, one thread")
        for playlist in playlists {
            let (bytes, name) = (playlist.bytes, playlist.form.rawValue)
            let model = try Self.parsed(bytes)
            let written = PlaylistWriter().bytes(model)
            guard try Self.parsed(written) == model, Self.rewritten(bytes).count >= bytes.count else {
                throw HarnessError("the written playlist differs from the original: \(name)")
            }
            let operations: [(String, Double, () throws -> Void)] = [
                ("parse", playlist.megabytes, { withExtendedLifetime(try Self.parsed(bytes)) {} }),
                ("write", Double(written.count) / 1e6, { withExtendedLifetime(PlaylistWriter().bytes(model)) {} }),
                ("rewrite", playlist.megabytes, { withExtendedLifetime(Self.rewritten(bytes)) {} }),
            ]
            var measurements = operations.map { Measurement("\($0.0) and release, \(name)", unit: "MB/s") }
            for _ in 0..<options.rounds {
                for (index, operation) in operations.enumerated() {
                    measurements[index].figures.append(operation.1 / (try Stopwatch.seconds(operation.2)))
                }
            }
            for measurement in measurements { try report.add(measurement) }
        }
    }

    private static func parsed(_ bytes: [UInt8]) throws -> Playlist {
        let parsed = try PlaylistParser().parse(bytes)
        guard parsed.diagnostics.isEmpty, parsed.playlist.media?.segments.count == GeneratedPlaylist.segmentCount
        else { throw HarnessError("the generated playlist can't be read: \(parsed.diagnostics)") }
        return parsed.playlist
    }

    /// Returns a playlist whose absolute URLs are replaced with paths, as the server does. Relative URLs are unchanged.
    static func rewritten(_ bytes: [UInt8]) -> [UInt8] {
        PlaylistReferences().rewritten(bytes) { reference in
            reference.form == .relativePath
                ? nil : "/play/0123456789abcdef/https/" + reference.uri.dropFirst(GeneratedPlaylist.origin.count)
        }
    }

    // MARK: - Memory

    private func memory(_ playlists: [GeneratedPlaylist], _ paths: [String]) async throws {
        report.beginAlone("Resident memory of a process that parses and rewrites a playlist; peaks include the file")
        for (playlist, path) in zip(playlists, paths) {
            let name = playlist.form.rawValue
            var model = Measurement("segment of the model, \(name)", unit: "bytes")
            var parsing = Measurement("peak of parsing, \(name)", unit: "× the playlist")
            var both = Measurement("peak of parsing and rewriting, with the model, \(name)", unit: "× the playlist")
            for _ in 0..<options.rounds {
                guard let memory = try await PlaylistProcess.memory(path) else {
                    report.say("\nSkipped: this system doesn't report resident memory")
                    return
                }
                model.figures.append(memory.bytesPerSegment)
                parsing.figures.append(memory.parsingRatio)
                both.figures.append(memory.ratio)
            }
            for measurement in [model, parsing, both] { try report.add(measurement) }
        }
    }
}
