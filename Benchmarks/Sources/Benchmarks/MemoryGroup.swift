import Foundation

/// A control group that limits the memory of its processes, including the page cache of the files that they read. It
/// needs permission to create control groups.
final class MemoryGroup {
    private static let (parent, limitName) =
        FileManager.default.fileExists(atPath: "/sys/fs/cgroup/memory/memory.limit_in_bytes")
        ? ("/sys/fs/cgroup/memory", "memory.limit_in_bytes") : ("/sys/fs/cgroup", "memory.max")

    private let folder: String

    /// Creates a group with a limit in bytes.
    init(limit: Int) throws {
        folder = "\(Self.parent)/mediacache-benchmark-\(UUID().uuidString)"
        guard mkdir(folder, 0o755) == 0 else {
            throw HarnessError("\(folder) can't be created: \(String(cString: strerror(errno)))")
        }
        try Self.write("\(limit)", to: "\(folder)/\(Self.limitName)")
    }

    deinit { rmdir(folder) }

    /// Moves a process and its descendants into the group. Memory that they already use isn't counted.
    func add(_ tree: ProcessTree) throws {
        for id in tree.members { try Self.write("\(id)", to: "\(folder)/cgroup.procs") }
    }

    private static func write(_ text: String, to path: String) throws {
        guard let handle = FileHandle(forWritingAtPath: path) else { throw HarnessError("\(path) can't be opened") }
        try handle.write(contentsOf: Data(text.utf8))
        try handle.close()
    }
}
