import Foundation
import HLS

/// A process of its own that reads a playlist from a file and works on it, since memory and start-up can only be measured
/// where nothing else has run: this program, started again.
enum PlaylistProcess {
    /// The first argument of such a process; the path of the playlist follows.
    static let command = "playlist-process"

    /// Resident memory, in bytes, at the places of a run.
    struct Memory: Codable {
        var playlist: Int
        var segments: Int
        /// Before the file is read.
        var start: Int
        /// With the file's bytes.
        var loaded: Int
        /// With the file's bytes and the model.
        var parsed: Int
        /// The most up to then.
        var parsingPeak: Int
        /// The most up to the end, when the rewritten playlist is there too.
        var peak: Int

        /// What a segment of the model costs.
        var bytesPerSegment: Double { Double(parsed - loaded) / Double(segments) }
        /// All that parsing took, the file's bytes among it, over the length of the file.
        var parsingRatio: Double { Double(parsingPeak - start) / Double(playlist) }
        /// The same for parsing, then rewriting with the model still there.
        var ratio: Double { Double(peak - start) / Double(playlist) }
    }

    /// What the process does: parses, and, when asked for the memory, rewrites with the model still there and prints it.
    static func run(_ path: String, measuresMemory: Bool) throws {
        // What the first run of any code costs isn't a playlist's.
        if measuresMemory { _ = try work(Array("#EXTM3U\n#EXTINF:4.5,\nhttps://media.example/1.ts\n".utf8)) }
        let start = resident("VmRSS")
        let bytes = try read(path)
        let loaded = resident("VmRSS")
        guard measuresMemory else {
            return print(try PlaylistParser().parse(bytes).playlist.media?.segments.count ?? 0)
        }
        let (segments, parsed, parsingPeak) = try work(bytes)
        guard let start, let loaded, let parsed, let parsingPeak, let peak = resident("VmHWM") else { return }
        let memory = Memory(
            playlist: bytes.count, segments: segments, start: start, loaded: loaded, parsed: parsed,
            parsingPeak: parsingPeak, peak: peak)
        print(String(decoding: try JSONEncoder().encode(memory), as: UTF8.self))
    }

    /// Parses and rewrites; gives the count of segments and what was resident in between.
    private static func work(_ bytes: [UInt8]) throws -> (segments: Int, parsed: Int?, parsingPeak: Int?) {
        let playlist = try PlaylistParser().parse(bytes).playlist
        let (parsed, peak) = (resident("VmRSS"), resident("VmHWM"))
        let rewritten = PlaylistSpeed.rewritten(bytes)
        withExtendedLifetime((playlist, rewritten)) {}
        return (playlist.media?.segments.count ?? 0, parsed, peak)
    }

    /// Starts one that only parses, and gives the milliseconds from its start to its end.
    static func milliseconds(_ path: String) async throws -> Double {
        let child = try ChildProcess(CommandLine.arguments[0], [command, path])
        guard try await child.end(within: .seconds(60)) == .exit(0), let elapsed = child.elapsed,
            child.outputText == "\(GeneratedPlaylist.segmentCount)\n"
        else { throw HarnessError("\(command): \(child.outputText) \(child.errorText)") }
        return elapsed.milliseconds
    }

    /// Starts one that parses and rewrites; nil where the system doesn't tell what is resident.
    static func memory(_ path: String) async throws -> Memory? {
        let child = try ChildProcess(CommandLine.arguments[0], [command, path, "memory"])
        guard try await child.end(within: .seconds(60)) == .exit(0) else {
            throw HarnessError("\(command): \(child.errorText)")
        }
        return try? JSONDecoder().decode(Memory.self, from: child.output)
    }

    /// A file's bytes, without a second copy of them at any moment.
    private static func read(_ path: String) throws -> [UInt8] {
        guard let file = fopen(path, "rb") else { throw HarnessError("\(path) can't be read") }
        defer { fclose(file) }
        setvbuf(file, nil, _IONBF, 0)
        fseek(file, 0, SEEK_END)
        let length = ftell(file)
        rewind(file)
        return [UInt8](unsafeUninitializedCapacity: length) { $1 = fread($0.baseAddress, 1, length, file) }
    }

    /// A line of what Linux tells of this process, in bytes.
    private static func resident(_ name: String) -> Int? {
        guard let file = fopen("/proc/self/status", "r") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            let words = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
                .split(whereSeparator: \.isWhitespace)
            if words.count > 1, words[0] == "\(name):" { return Int(words[1]).map { $0 << 10 } }
        }
        return nil
    }
}
