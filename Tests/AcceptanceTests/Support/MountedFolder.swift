import Foundation
import TestSupport

/// A file system in memory with a fixed size, mounted on a temporary folder. Requires root on Linux.
final class MountedFolder: Sendable {
    let path: String
    private let folder: TemporaryFolder

    /// Returns whether file systems can be mounted; see `Prerequisite`.
    static func canMount() throws -> Bool {
        try Prerequisite.isMet("the right to mount a small file system (root on Linux)", isMountable)
    }

    private static let isMountable: Bool = {
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
        return false
    }()

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

    func freeBytes() throws -> Int64 {
        var information = statvfs()
        guard statvfs(path, &information) == 0 else {
            throw HarnessError("the free space at \(path) can't be read: \(String(cString: strerror(errno)))")
        }
        return Int64(information.f_bavail) * Int64(information.f_frsize)
    }

    func fill() throws {
        let filler = "\(path)/filler"
        try Data().write(to: URL(fileURLWithPath: filler))
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: filler))
        defer { try? handle.close() }
        for size in [1 << 20, 4096] {
            let bytes = Data(count: size)
            while (try? handle.write(contentsOf: bytes)) != nil {}
        }
    }

    func makeReadOnly() async throws {
        try await Peer.run("mount", ["-o", "remount,ro", path])
    }
}
