import Foundation
import HLS

/// A new process of this program that parses a playlist. Memory and start-up time can be measured only in a new
/// process.
enum PlaylistProcess {
    /// The first argument of the process. The path of the playlist follows.
    static let command = "playlist-process"

    /// The resident memory in bytes at the stages of a run.
    struct Memory: Codable {
        var playlist: Int
        var segments: Int
        /// The memory before the file is read.
        var start: Int
        /// The memory with the bytes of the file.
        var loaded: Int
        /// The memory with the bytes of the file and the model.
        var parsed: Int
        /// The peak up to the end of parsing.
        var parsingPeak: Int
        /// The peak up to the end, with the rewritten playlist.
        var peak: Int

        /// The memory per segment of the model.
        var bytesPerSegment: Double { Double(parsed - loaded) / Double(segments) }
        /// The peak of parsing, including the bytes of the file, as a multiple of the file's length.
        var parsingRatio: Double { Double(parsingPeak - start) / Double(playlist) }
        /// The peak of parsing and rewriting with the model in memory, as a multiple of the file's length.
        var ratio: Double { Double(peak - start) / Double(playlist) }
    }

    /// Runs the process: parses the playlist and prints the number of segments. With `measuresMemory`, also rewrites
    /// the playlist with the model in memory, and prints a ``Memory`` instead.
    static func run(_ path: String, measuresMemory: Bool) throws {
        // Excludes the memory that the code allocates only in its first run.
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

    /// Parses and rewrites a playlist. Returns the number of segments, and the resident memory and its peak after
    /// parsing.
    private static func work(_ bytes: [UInt8]) throws -> (segments: Int, parsed: Int?, parsingPeak: Int?) {
        let playlist = try PlaylistParser().parse(bytes).playlist
        let (parsed, peak) = (resident("VmRSS"), resident("VmHWM"))
        let rewritten = PlaylistSpeed.rewritten(bytes)
        withExtendedLifetime((playlist, rewritten)) {}
        return (playlist.media?.segments.count ?? 0, parsed, peak)
    }

    /// Starts a process that only parses. Returns its running time in milliseconds.
    static func milliseconds(_ path: String) async throws -> Double {
        let child = try ChildProcess(CommandLine.arguments[0], [command, path])
        guard try await child.end(within: .seconds(60)) == .exit(0), let elapsed = child.elapsed,
            child.outputText == "\(GeneratedPlaylist.segmentCount)\n"
        else { throw HarnessError("\(command): \(child.outputText) \(child.errorText)") }
        return elapsed.milliseconds
    }

    /// Starts a process that parses and rewrites a playlist. Returns its memory, or nil if the system doesn't report
    /// resident memory.
    static func memory(_ path: String) async throws -> Memory? {
        let child = try ChildProcess(CommandLine.arguments[0], [command, path, "memory"])
        guard try await child.end(within: .seconds(60)) == .exit(0) else {
            throw HarnessError("\(command): \(child.errorText)")
        }
        return try? JSONDecoder().decode(Memory.self, from: child.output)
    }

    /// Returns the bytes of a file, without a temporary copy.
    private static func read(_ path: String) throws -> [UInt8] {
        guard let file = fopen(path, "rb") else { throw HarnessError("\(path) can't be read") }
        defer { fclose(file) }
        setvbuf(file, nil, _IONBF, 0)
        fseek(file, 0, SEEK_END)
        let length = ftell(file)
        rewind(file)
        return [UInt8](unsafeUninitializedCapacity: length) { $1 = fread($0.baseAddress, 1, length, file) }
    }

    /// Returns a field of `/proc/self/status` in bytes, or nil on other systems.
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
