import Foundation
import MediaLibrary

/// A process that listens on a port. It's found only on Linux, through `/proc`. Only root can see processes of other
/// users.
struct ListeningProcess: Sendable, Hashable, CustomStringConvertible {
    /// The process ID; nil if it's unknown.
    var id: Int?
    var name: String?

    var description: String {
        guard let id else { return "another user's process" }
        return "process \(id)" + (name.map { " (\($0))" } ?? "")
    }

    /// Returns the process that listens on a port; nil if none is found.
    static func find(port: Int) -> ListeningProcess? {
        // The system's table can omit a socket while others are opened and closed.
        for _ in 0..<3 {
            if let found = lookUp(port: port), found.id != nil { return found }
        }
        return lookUp(port: port)
    }

    private static func lookUp(port: Int) -> ListeningProcess? {
        let tables = ["/proc/net/tcp", "/proc/net/tcp6"].compactMap(SystemFile.text)
        let sockets = Set(tables.flatMap { inodes(listeningAt: port, in: $0) }.map { "socket:[\($0)]" })
        guard !sockets.isEmpty else { return nil }
        let files = FileManager.default
        for id in (try? files.contentsOfDirectory(atPath: "/proc"))?.compactMap({ Int($0) }) ?? [] {
            let folder = "/proc/\(id)/fd"
            for name in (try? files.contentsOfDirectory(atPath: folder)) ?? [] {
                guard let target = try? files.destinationOfSymbolicLink(atPath: "\(folder)/\(name)"),
                    sockets.contains(target)
                else { continue }
                return ListeningProcess(id: id, name: SystemFile.text("/proc/\(id)/comm"))
            }
        }
        return ListeningProcess()
    }

    /// Returns the inodes of sockets that listen on a port, from a table in the format of proc(5).
    static func inodes(listeningAt port: Int, in table: String) -> [String] {
        // Most lines of a long table are connections, so only those of listening sockets are split completely.
        table.utf8.split(separator: UInt8(ascii: "\n")).dropFirst().compactMap { line in
            let begin = line.split(separator: UInt8(ascii: " "), maxSplits: 4)
            // 0A is LISTEN.
            guard begin.count > 4, begin[3].elementsEqual("0A".utf8),
                let hexPort = Substring(begin[1]).split(separator: ":").last, Int(hexPort, radix: 16) == port
            else { return nil }
            return Substring(begin[4]).split(separator: " ").dropFirst(5).first.map { String($0) }
        }
    }
}
