import Foundation

/// A file system in memory of a fixed size, mounted on a folder of its own; for root, on Linux.
final class MountedFolder: Sendable {
    let path: String
    private let folder: TemporaryFolder

    /// Whether one can be mounted here. Says so when not.
    static func canMount() -> Bool {
        #if os(Linux)
            if geteuid() == 0, let unshare = Peer.path(of: "unshare") {
                let probe = Process()
                probe.executableURL = URL(fileURLWithPath: unshare)
                probe.arguments = ["-m", "true"]
                if (try? probe.run()) != nil {
                    probe.waitUntilExit()
                    if probe.terminationStatus == 0 { return true }
                }
            }
        #endif
        print("skipped: mounting a small file system needs root on Linux")
        return false
    }

    init(mebibytes: Int) async throws {
        folder = try TemporaryFolder("mount")
        path = folder.path
        try await Peer.run("mount", ["-t", "tmpfs", "-o", "size=\(mebibytes)m", "tmpfs", path])
    }

    deinit {
        let process = Process()
        process.executableURL = Peer.path(of: "umount").map { URL(fileURLWithPath: $0) }
        process.arguments = ["-l", path]
        if (try? process.run()) != nil { process.waitUntilExit() }
    }

    /// Bytes that still fit.
    func freeBytes() throws -> Int64 {
        var information = statvfs()
        guard statvfs(path, &information) == 0 else { throw HarnessError("statvfs \(path): \(errno)") }
        return Int64(information.f_bavail) * Int64(information.f_frsize)
    }

    /// Writes a file that takes all that is free.
    func fill(with file: String) async throws {
        try await onThread {
            let descriptor = open(file, O_WRONLY | O_CREAT, 0o600)
            guard descriptor >= 0 else { throw HarnessError("open \(file): \(errno)") }
            defer { close(descriptor) }
            let block = [UInt8](repeating: 0, count: 4096)
            while write(descriptor, block, block.count) > 0 {}
        }
    }

    /// Makes it read-only.
    func makeReadOnly() async throws {
        try await Peer.run("mount", ["-o", "remount,ro", path])
    }
}
