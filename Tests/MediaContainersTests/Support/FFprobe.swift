import Foundation

/// ffprobe, where it is installed: what another program makes of a file that was written here.
enum FFprobe {
    /// Where programs can't be started, as on a phone, there is none.
    static let path: String? = {
        #if os(macOS) || os(Linux)
            ["/usr/bin/ffprobe", "/usr/local/bin/ffprobe", "/opt/homebrew/bin/ffprobe"].first {
                FileManager.default.isExecutableFile(atPath: $0)
            }
        #else
            nil
        #endif
    }()

    struct Failed: Error { var message: String }

    /// The packets of a file in the form of the oracles.
    static func packets(_ bytes: [UInt8]) throws -> PacketList {
        let text = try run(bytes, ["-show_packets", "-show_data_hash", "CRC32"])
        // One field a line, packets between [PACKET] and [/PACKET]; side data adds lines that aren't asked for.
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

    /// Runs ffprobe on a file with these bytes; what it warns about is a failure.
    static func run(_ bytes: [UInt8], _ arguments: [String], allowingWarnings: Bool = false) throws -> String {
        let folder = FileManager.default.temporaryDirectory
        let file = folder.appendingPathComponent("\(UUID().uuidString).mp4")
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let all = ["-v", "warning", "-of", "default"] + arguments + [file.path]
        let result = try Program(path: path ?? "", arguments: all).run()
        // Text that FFmpeg has no decoder for isn't a fault of the file.
        let faults = result.messages.split(separator: "\n").filter { !$0.hasPrefix("Unsupported codec with id 0") }
        guard result.succeeded, faults.isEmpty || allowingWarnings else {
            throw Failed(message: result.messages)
        }
        return String(decoding: result.output, as: UTF8.self)
    }
}
