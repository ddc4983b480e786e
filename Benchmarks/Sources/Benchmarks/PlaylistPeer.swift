import Foundation

/// A playlist library in another language, installed in the build folder and timed in a separate process.
struct PlaylistPeer {
    /// The library and its version.
    let name: String
    private let program: String
    private let arguments: [String]

    /// The output of a script.
    private struct Result {
        var version: String
        var segments: Int
        var seconds: Double

        init(_ output: Data) throws {
            let words = String(decoding: output, as: UTF8.self).split(whereSeparator: \.isWhitespace)
            guard words.count == 3, let segments = Int(words[1]), let seconds = Double(words[2]), seconds > 0 else {
                throw HarnessError("a playlist peer printed unexpected output: \(words)")
            }
            (version, self.segments, self.seconds) = (String(words[0]), segments, seconds)
        }
    }

    private static let folder = MediaCacheBinary.buildFolder + "/playlist-peers"

    /// A script that parses the file in its last argument once to warm up and then three times. It prints the version,
    /// the number of segments and the median time in seconds.
    private static let pythonScript = """
        import importlib.metadata, statistics, sys, time, m3u8
        text = open(sys.argv[1], encoding="utf-8").read()
        count = len(m3u8.loads(text).segments)
        times = []
        for _ in range(3):
            start = time.perf_counter()
            playlist = m3u8.loads(text)
            times.append(time.perf_counter() - start)
            del playlist
        print(importlib.metadata.version("m3u8"), count, statistics.median(times))
        """

    /// A script for Node with the same output. It measures ten runs, after three runs that warm up the JIT compiler.
    private static let nodeScript = """
        const paths = [process.argv[1], ...require.resolve.paths("m3u8-parser")];
        const { Parser } = require(require.resolve("m3u8-parser", { paths }));
        const { version } = require(require.resolve("m3u8-parser/package.json", { paths }));
        const text = require("fs").readFileSync(process.argv[2], "utf8");
        const parse = () => { const it = new Parser(); it.push(text); it.end(); return it.manifest.segments.length; };
        const times = [];
        let count;
        for (let round = 0; round < 13; round++) {
            const start = process.hrtime.bigint();
            count = parse();
            if (round >= 3) times.push(Number(process.hrtime.bigint() - start) / 1e9);
        }
        times.sort((left, right) => left - right);
        console.log(version, count, (times[4] + times[5]) / 2);
        """

    /// Returns python-m3u8 in a virtual environment, or reports the reason and returns nil if it can't be installed.
    static func python(_ probe: String, _ report: Report) async throws -> PlaylistPeer? {
        let environment = folder + "/python"
        let program = environment + "/bin/python"
        return try await installed("python-m3u8", program, ["-c", pythonScript], probe, report) {
            try await ChildProcess.run(Peer.required("python3"), ["-m", "venv", environment])
            try await ChildProcess.run(program, ["-m", "pip", "install", "--quiet", "m3u8"])
        }
    }

    /// Returns m3u8-parser, the parser of Video.js, in Node, or reports the reason and returns nil if it can't be
    /// installed.
    static func node(_ probe: String, _ report: Report) async throws -> PlaylistPeer? {
        guard let node = Peer.path(of: "node") else {
            report.say("Skipped: m3u8-parser (node isn't installed)")
            return nil
        }
        let modules = folder + "/node"
        return try await installed("m3u8-parser in Node", node, ["-e", nodeScript, modules], probe, report) {
            try await ChildProcess.run(
                Peer.required("npm"),
                ["install", "--prefix", modules, "--no-audit", "--no-fund", "--ignore-scripts"]
                    + ["--fetch-retries", "0", "m3u8-parser"])
        }
    }

    /// Runs the script on `probe`. If it fails, installs the library and runs the script again.
    private static func installed(
        _ library: String, _ program: String, _ arguments: [String], _ probe: String, _ report: Report,
        _ install: () async throws -> Void
    ) async throws -> PlaylistPeer? {
        func peer() async throws -> PlaylistPeer {
            let version = try Result(await ChildProcess.run(program, arguments + [probe]).output).version
            return PlaylistPeer(name: "\(library) \(version)", program: program, arguments: arguments)
        }
        if let peer = try? await peer() { return peer }
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try await install()
            return try await peer()
        } catch {
            let lines = "\(error)".split(separator: "\n")
            let reason = lines.first { $0.lowercased().contains("error") } ?? lines.last ?? ""
            report.say("Skipped: \(library) couldn't be installed (\(reason.prefix(160)))")
            return nil
        }
    }

    /// Returns the rate at which the library parses a playlist, in MB/s.
    func megabytesPerSecond(_ playlist: GeneratedPlaylist, at path: String) async throws -> Double {
        let result = try Result(await ChildProcess.run(program, arguments + [path]).output)
        guard result.segments == GeneratedPlaylist.segmentCount else {
            throw HarnessError("\(name) read \(result.segments) segments instead of \(GeneratedPlaylist.segmentCount)")
        }
        return playlist.megabytes / result.seconds
    }
}
