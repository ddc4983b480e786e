import Dispatch
import Foundation
import Synchronization

/// The ffmpeg program, which creates files in forms that the corpora lack, and decodes files for comparison.
enum FFmpeg {
    static let path = Program.path(of: "ffmpeg")

    /// Decodes a file. Returns the stream, size and checksum of each video and audio frame.
    static func decode(_ bytes: [UInt8]) throws -> [String] {
        let output = try withTemporaryFile(bytes) { try run(["-i", $0, "-map", "0", "-f", "framecrc"]) }
        // Times are omitted, because the timescales differ. The packet tests compare times.
        return String(decoding: output, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }.map {
            let fields = $0.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            return "\(fields[0]) \(fields[4]) \(fields[5])"
        }
    }

    /// Runs ffmpeg with the arguments, followed by the path of the output. Returns the output.
    static func run(_ arguments: [String]) throws -> [UInt8] {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).out")
        defer { try? FileManager.default.removeItem(at: file) }
        let all = ["-v", "error", "-nostdin", "-y"] + arguments + [file.path]
        let result = try Program(path: path ?? "", arguments: all).run()
        guard result.succeeded else { throw Program.Failed(message: result.messages) }
        return [UInt8](try Data(contentsOf: file))
    }
}

/// The ffprobe program, which reads files for comparison with this library.
enum FFprobe {
    static let path = Program.path(of: "ffprobe")

    /// Returns the packets of a file in the form of the oracles.
    static func packets(_ bytes: [UInt8]) throws -> PacketList {
        let text = try run(bytes, ["-show_packets", "-show_data_hash", "CRC32"])
        // Each field is on a separate line. Packets are between [PACKET] and [/PACKET], and side data adds more lines.
        var fields: [Substring: Substring] = [:]
        var lines: [String] = []
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { fields[parts[0]] = parts[1] }
            guard line == "[/PACKET]" else { continue }
            let names = ["stream_index", "pts", "dts", "duration", "size", "flags", "data_hash"] as [Substring]
            let values = names.map { String(fields[$0] ?? "").replacingOccurrences(of: "CRC32:", with: "") }
            lines.append(values.joined(separator: ","))
            fields = [:]
        }
        return PacketList(csv: lines.joined(separator: "\n"))
    }

    /// Runs ffprobe on a file and returns its output. Warnings count as failures unless they are allowed.
    static func run(_ bytes: [UInt8], _ arguments: [String], allowingWarnings: Bool = false) throws -> String {
        let result = try withTemporaryFile(bytes) { file in
            try Program(path: path ?? "", arguments: ["-v", "warning", "-of", "default"] + arguments + [file]).run()
        }
        // Text formats that FFmpeg can't decode aren't a fault of the file.
        let faults = result.messages.split(separator: "\n").filter { !$0.hasPrefix("Unsupported codec with id 0") }
        guard result.succeeded, faults.isEmpty || allowingWarnings else {
            throw Program.Failed(message: result.messages)
        }
        return String(decoding: result.output, as: UTF8.self)
    }
}

/// Calls a closure with the path of a temporary file that has the given content.
func withTemporaryFile<Value>(_ content: [UInt8], _ body: (String) throws -> Value) throws -> Value {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).mp4")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(content).write(to: file)
    return try body(file.path)
}

/// An external program that is run until it exits.
struct Program {
    struct Failed: Error { var message: String }

    var path: String
    var arguments: [String]

    /// Returns the path of a program, or nil if it isn't installed or the platform can't start programs.
    static func path(of name: String) -> String? {
        #if os(macOS) || os(Linux)
            let paths = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].map { "\($0)/\(name)" }
            return paths.first { FileManager.default.isExecutableFile(atPath: $0) }
        #else
            return nil
        #endif
    }

    /// Runs the program. Returns its output, its error messages, and whether it succeeded.
    func run() throws -> (output: [UInt8], messages: String, succeeded: Bool) {
        #if os(macOS) || os(Linux)
            let process = Process()
            process.executableURL = URL(fileURLWithPath: path)
            process.arguments = arguments
            let output = Pipe()
            let errors = Pipe()
            process.standardOutput = output
            process.standardError = errors
            try process.run()
            // Both pipes are read at the same time, because the program waits while either is full.
            let messages = Mutex(Data())
            let reading = DispatchGroup()
            DispatchQueue.global().async(group: reading) {
                let data = errors.fileHandleForReading.readDataToEndOfFile()
                messages.withLock { $0 = data }
            }
            let text = output.fileHandleForReading.readDataToEndOfFile()
            reading.wait()
            process.waitUntilExit()
            return (
                [UInt8](text), String(decoding: messages.withLock { $0 }, as: UTF8.self), process.terminationStatus == 0
            )
        #else
            return ([], "this platform can't start programs", false)
        #endif
    }
}
