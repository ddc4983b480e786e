import Foundation

/// The machine, and the versions of the compared programs.
struct Machine: Codable {
    var cores: Int
    var memoryBytes: UInt64
    var processor: String
    var system: String
    var load: Double
    var versions: [String: String]

    static func describe() async throws -> Machine {
        let info = ProcessInfo.processInfo
        let processor = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?
            .split(separator: "\n").first { $0.hasPrefix("model name") }?
            .split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) }
        var loads = [0.0, 0.0, 0.0]
        getloadavg(&loads, 3)
        var versions: [String: String] = [:]
        for (program, arguments) in [
            ("nginx", ["-v"]), ("varnishd", ["-V"]), ("curl", ["--version"]), ("wrk", ["-v"]), ("swift", ["--version"]),
            ("python3", ["--version"]), ("node", ["--version"]), ("ffprobe", ["-version"]), ("aria2c", ["--version"]),
        ] {
            guard let path = Peer.path(of: program) else { continue }
            let child = try ChildProcess(path, arguments)
            _ = try await child.end(within: .seconds(20))
            let line = (child.outputText + child.errorText).split(separator: "\n").first { !$0.contains("driver") }
            versions[program] = line.map { String($0.prefix(60)) }
        }
        let kernel = String(decoding: try await Peer.run("uname", ["-srm"]), as: UTF8.self)
        return Machine(
            cores: info.activeProcessorCount, memoryBytes: info.physicalMemory, processor: processor ?? "unknown",
            system: "\(info.operatingSystemVersionString), \(kernel.trimmingCharacters(in: .whitespacesAndNewlines))",
            load: loads[0], versions: versions)
    }

    var text: String {
        """
        Machine: \(cores) cores, \(memoryBytes >> 30) GiB, \(processor); \(system); load \(load)
        \(versions.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: "\n"))
        """
    }
}
