import Foundation

/// ffmpeg, where it is installed: makes files of forms that are not in the corpora.
enum FFmpeg {
    /// Where programs can't be started, as on a phone, there is none.
    static let path: String? = {
        #if os(macOS) || os(Linux)
            ["/usr/bin/ffmpeg", "/usr/local/bin/ffmpeg", "/opt/homebrew/bin/ffmpeg"].first {
                FileManager.default.isExecutableFile(atPath: $0)
            }
        #else
            nil
        #endif
    }()

    struct Failed: Error { var message: String }

    /// Decodes a file: the stream, the size and the checksum of each picture and each piece of sound.
    static func decode(_ bytes: [UInt8]) throws -> [String] {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).mp4")
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let output = try run(["-i", file.path, "-map", "0", "-f", "framecrc"])
        // Times are left out: they are compared as packets are, and here they are on other timescales.
        return String(decoding: output, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }.map {
            let fields = $0.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            return "\(fields[0]) \(fields[4]) \(fields[5])"
        }
    }

    /// Runs ffmpeg; the output's name is added to the arguments.
    static func run(_ arguments: [String]) throws -> [UInt8] {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).out")
        defer { try? FileManager.default.removeItem(at: file) }
        let all = ["-v", "error", "-nostdin", "-y"] + arguments + [file.path]
        let result = try Program(path: path ?? "", arguments: all).run()
        guard result.succeeded else { throw Failed(message: result.messages) }
        return [UInt8](try Data(contentsOf: file))
    }
}
