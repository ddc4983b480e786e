import CMediaCacheShims
import Foundation
import MediaCache
import MediaLibrary

/// The capabilities of a file system, determined with temporary files.
struct FileSystemCapabilities: Sendable, Hashable {
    /// Whether unwritten parts of a file use no space.
    let isSparse: Bool
    /// Whether parts of a file can be deallocated.
    let punchesHoles: Bool
    /// Whether files can be cloned without copying their bytes.
    let clones: Bool

    private static let length = 1 << 20

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
        // Writing only the end leaves a hole before it.
        try Self.write(bytes, to: descriptor, at: Self.length - bytes.count, path)
        fsync(descriptor)
        isSparse = Self.allocatedBytes(of: descriptor) < Self.length / 2
        for offset in stride(from: 0, to: Self.length - bytes.count, by: bytes.count) {
            try Self.write(bytes, to: descriptor, at: offset, path)
        }
        fsync(descriptor)
        let before = Self.allocatedBytes(of: descriptor)
        punchesHoles =
            mc_punch_hole(descriptor, 0, Int64(Self.length / 2)) == 0 && Self.allocatedBytes(of: descriptor) < before
        clones = FileCopy.clone(path, to: clone)
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32, at offset: Int, _ path: String) throws {
        let count = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
        guard count == bytes.count else { throw SystemError(call: "pwrite", path: path, number: errno) }
    }

    private static func allocatedBytes(of descriptor: Int32) -> Int {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int(status.st_blocks) * 512 : 0
    }

    /// Returns the type of the file system of a path; nil if it's unknown.
    static func kind(of path: String) -> String? {
        guard let mounts = SystemFile.text("/proc/self/mounts") else { return nil }
        return kind(of: URL(fileURLWithPath: path).resolvingSymlinksInPath().path(percentEncoded: false), in: mounts)
    }

    /// Returns the type from a list of mounts in the format of fstab(5); nil if no mount point contains the path. The
    /// longest mount point that contains it applies; of several mounts there, the last one.
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
