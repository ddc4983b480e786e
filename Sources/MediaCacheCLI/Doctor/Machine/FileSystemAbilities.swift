import CMediaCacheShims
import Foundation
import MediaCache

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What a file system can do, tried out with files that are gone at once.
struct FileSystemAbilities: Sendable, Hashable {
    /// Whether what isn't written of a file takes no room.
    let isSparse: Bool
    /// Whether a part of a file can be given up.
    let punchesHoles: Bool
    /// Whether a file can be copied without copying its bytes.
    let clones: Bool

    private static let length = 1 << 20

    /// Tries in a folder.
    ///
    /// - Throws: `SystemError` if no file can be written there.
    init(folder: String) throws {
        let path = "\(folder)/.doctor-\(getpid())"
        let clone = path + "-clone"
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemError(call: "open", path: path, number: errno) }
        defer {
            close(descriptor)
            unlink(path)
            unlink(clone)
        }
        let bytes = [UInt8](repeating: 1, count: 64 << 10)
        // The end first: what lies before is a hole, where there are holes.
        try Self.write(bytes, to: descriptor, at: Self.length - bytes.count, path)
        fsync(descriptor)
        isSparse = Self.room(of: descriptor) < Self.length / 2
        for offset in stride(from: 0, to: Self.length - bytes.count, by: bytes.count) {
            try Self.write(bytes, to: descriptor, at: offset, path)
        }
        fsync(descriptor)
        let before = Self.room(of: descriptor)
        punchesHoles =
            mc_punch_hole(descriptor, 0, Int64(Self.length / 2)) == 0 && Self.room(of: descriptor) < before
        clones = FileClone.make(from: path, to: clone)
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32, at offset: Int, _ path: String) throws {
        let count = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
        guard count == bytes.count else { throw SystemError(call: "pwrite", path: path, number: errno) }
    }

    private static func room(of descriptor: Int32) -> Int {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int(status.st_blocks) * 512 : 0
    }

    /// What the system calls the file system that a path lies on; nil where it doesn't say.
    static func kind(of path: String) -> String? {
        guard let mounts = try? String(contentsOfFile: "/proc/self/mounts", encoding: .utf8) else { return nil }
        return kind(of: URL(fileURLWithPath: path).resolvingSymlinksInPath().path(percentEncoded: false), in: mounts)
    }

    /// The same by a list of mounts, as fstab(5) has it: of those that the path lies below the longest, and of those the
    /// last counts.
    static func kind(of path: String, in mounts: String) -> String? {
        var best: (point: String, kind: String)?
        for line in mounts.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count > 2 else { continue }
            let point = fields[1].replacingOccurrences(of: "\\040", with: " ")
            let isAbove = point == "/" || path == point || path.hasPrefix(point + "/")
            if isAbove, point.count >= best?.point.count ?? 0 { best = (point, String(fields[2])) }
        }
        return best?.kind
    }
}
