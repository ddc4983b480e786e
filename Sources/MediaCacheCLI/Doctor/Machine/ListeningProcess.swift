import Foundation

/// A process that listens at a port, as far as the system tells: Linux does by `/proc`, and of other users' processes
/// only to root.
struct ListeningProcess: Sendable, Hashable, CustomStringConvertible {
    /// Its number; nil where the system doesn't say whose the port is.
    var id: Int?
    /// What it's called.
    var name: String?

    /// In words.
    var description: String {
        guard let id else { return "another user's process" }
        return "process \(id)" + (name.map { " (\($0))" } ?? "")
    }

    /// The one at a port; nil where nothing is known.
    static func find(port: Int) -> ListeningProcess? {
        // While sockets come and go, the system's table may leave one out.
        for _ in 0..<3 {
            if let found = look(port: port), found.id != nil { return found }
        }
        return look(port: port)
    }

    private static func look(port: Int) -> ListeningProcess? {
        let tables = ["/proc/net/tcp", "/proc/net/tcp6"].compactMap { try? String(contentsOfFile: $0, encoding: .utf8) }
        let sockets = Set(tables.flatMap { inodes(listeningAt: port, in: $0) }.map { "socket:[\($0)]" })
        guard !sockets.isEmpty else { return nil }
        let files = FileManager.default
        for id in (try? files.contentsOfDirectory(atPath: "/proc"))?.compactMap({ Int($0) }) ?? [] {
            let folder = "/proc/\(id)/fd"
            for name in (try? files.contentsOfDirectory(atPath: folder)) ?? [] {
                guard let target = try? files.destinationOfSymbolicLink(atPath: "\(folder)/\(name)"),
                    sockets.contains(target)
                else { continue }
                let name = try? String(contentsOfFile: "/proc/\(id)/comm", encoding: .utf8)
                return ListeningProcess(id: id, name: name?.trimmingCharacters(in: .whitespacesAndNewlines))
            }
        }
        return ListeningProcess()
    }

    /// The sockets that listen at a port, by a table as proc(5) has it.
    static func inodes(listeningAt port: Int, in table: String) -> [String] {
        table.split(separator: "\n").dropFirst().compactMap { line in
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            // 0A is LISTEN.
            guard fields.count > 9, fields[3] == "0A", let place = fields[1].split(separator: ":").last,
                Int(place, radix: 16) == port
            else { return nil }
            return String(fields[9])
        }
    }
}
