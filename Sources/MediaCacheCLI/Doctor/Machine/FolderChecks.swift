import CMediaCacheShims
import Foundation
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// The checks of the cache folder. They only write temporary files, which they remove.
struct FolderChecks: Sendable {
    var location: CacheLocation
    var limits: CacheLimits
    var owner: FolderOwner?

    func run() -> [DiagnosisFinding] {
        let folders =
            location.durable == location.evictable
            ? [location.durable] : [location.durable, location.evictable]
        return folders.flatMap { [folder($0), space($0), fileSystem($0)].compactMap(\.self) } + [catalog(), key()]
    }

    /// Checks that the folder is writable, and that it belongs to this user.
    private func folder(_ path: String) -> DiagnosisFinding {
        var status = stat()
        guard stat(path, &status) == 0 else {
            let parent = Self.existing(above: path)
            guard access(parent, W_OK) == 0 else {
                return .failure(
                    "cache folder", "\(path) doesn't exist, and \(parent) isn't writable: \(Self.reason(errno))",
                    advice: "create the folder, or set another folder with --cache")
            }
            return .ok("cache folder", "\(path) doesn't exist yet and will be created")
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            return .failure(
                "cache folder", "\(path) isn't a folder", advice: "move it, or use another folder with --cache")
        }
        let user = status.st_uid == geteuid() ? "this user" : "user \(Self.name(of: status.st_uid))"
        guard access(path, W_OK | X_OK) == 0 else {
            return .failure(
                "cache folder", "\(path), which belongs to \(user), isn't writable: \(Self.reason(errno))",
                advice:
                    "run as user \(Self.name(of: status.st_uid)), or change its owner to \(Self.name(of: geteuid()))")
        }
        guard status.st_uid == geteuid() else {
            return .warning(
                "cache folder", "\(path) is writable, but belongs to \(user)",
                advice: "run as user \(Self.name(of: status.st_uid)), so that all files have the same owner")
        }
        return .ok("cache folder", "\(path) is writable and belongs to \(user)")
    }

    private func space(_ path: String) -> DiagnosisFinding? {
        guard let free = try? POSIXFileSystem().freeBytes(at: Self.existing(above: path)) else { return nil }
        return Self.judge(free: free, used: Self.used(location), limits: limits)
    }

    /// Returns the finding about free space. Sizes are in bytes.
    static func judge(free: Int64, used: Int64, limits: CacheLimits) -> DiagnosisFinding {
        let reserve = limits.minimumFreeBytes
        let (freeText, reserveText) = ("\(ByteCount(free)) free", "the minimum free space is \(ByteCount(reserve))")
        guard free > reserve else {
            return .failure(
                "disk space", "\(freeText), but \(reserveText), so no new data can be cached",
                advice: "free some space, or lower --min-free")
        }
        let space = used + free - reserve
        guard let maximum = limits.maximumBytes else {
            return .ok("disk space", "\(freeText); up to \(ByteCount(space)) can be cached, and no size limit is set")
        }
        guard space >= maximum else {
            return .warning(
                "disk space",
                "\(freeText), so only \(ByteCount(space)) can be cached, less than the limit of \(ByteCount(maximum))",
                advice: "free some space, or set --max-size to \(ByteCount(space)) or less")
        }
        return .ok("disk space", "\(freeText), which is enough for the limit of \(ByteCount(maximum))")
    }

    private func fileSystem(_ path: String) -> DiagnosisFinding? {
        guard access(path, W_OK | X_OK) == 0 else { return nil }
        do {
            let abilities = try FileSystemCapabilities(folder: path)
            let kind = FileSystemCapabilities.kind(of: path).map { "\($0): " } ?? ""
            let reflinks = abilities.clones ? "reflinks" : "no reflinks (exports use hard links or copies)"
            guard abilities.isSparse, abilities.punchesHoles else {
                let missing = [
                    abilities.isSparse ? nil : "sparse files", abilities.punchesHoles ? nil : "hole punching",
                ]
                return .warning(
                    "file system", "\(kind)no \(missing.compactMap(\.self).joined(separator: ", no ")), \(reflinks)",
                    advice: "parts of large files can't be evicted; use ext4, XFS, Btrfs or APFS")
            }
            return .ok("file system", "\(kind)sparse files, hole punching, \(reflinks)")
        } catch {
            return .failure(
                "file system", "no file can be written in \(path): \(error)",
                advice: "free some space, make the folder writable, or use another one with --cache")
        }
    }

    private func catalog() -> DiagnosisFinding {
        let path = "\(location.durable)/catalog.sqlite"
        if let owner {
            return .ok("catalog", "not checked, since process \(owner.processID) uses it")
        }
        guard FileManager.default.fileExists(atPath: path) else { return .ok("catalog", "none yet") }
        do {
            // Opening a copy in memory leaves the file unchanged.
            _ = try Catalog(.copy(of: path))
            return .ok("catalog", "\(path) can be opened, \(ByteCount(Self.length(of: path)))")
        } catch let error as CacheError where error.code == .newerFormat {
            return .failure("catalog", error.message, advice: "use that version, or another cache folder")
        } catch {
            return .failure(
                "catalog", "\(path) can't be opened: \((error as? CacheError)?.message ?? "\(error)")",
                advice: "start `mediacache serve`, which sets the file aside and restores pinned and recorded data")
        }
    }

    /// Checks that only the user can read the key.
    private func key() -> DiagnosisFinding {
        let path = AccessKeyFile(location: location).path
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard errno == ENOENT else {
                return .failure(
                    "key", "\(path) can't be examined: \(Self.reason(errno))",
                    advice: "run as the user that owns the folder")
            }
            return .ok("key", "none yet; the first start creates it")
        }
        let mode = String(status.st_mode & 0o777, radix: 8)
        guard status.st_mode & 0o077 == 0 else {
            return .failure(
                "key", "other users can read \(path) (mode \(mode))",
                advice: "run chmod 600 '\(path)'; to replace the key, run `mediacache key roll`")
        }
        guard let text = try? String(contentsOfFile: path, encoding: .utf8),
            AccessKey(text.trimmingCharacters(in: .whitespacesAndNewlines)) != nil
        else {
            return .failure("key", "\(path) contains no key", advice: "remove it; the next start creates a new one")
        }
        return .ok("key", "\(path), mode \(mode)")
    }

    private static func existing(above path: String) -> String {
        var path = path
        while path != "/", access(path, F_OK) != 0 {
            path = URL(fileURLWithPath: path).deletingLastPathComponent().path(percentEncoded: false)
            if path.count > 1, path.hasSuffix("/") { path.removeLast() }
        }
        return path
    }

    /// Returns the allocated size of all blobs in bytes.
    private static func used(_ location: CacheLocation) -> Int64 {
        let folders = ["\(location.evictable)/blobs", "\(location.durable)/kept"]
        return folders.reduce(0) { sum, folder in
            let files = FileManager.default.enumerator(atPath: folder)
            var bytes: Int64 = 0
            while let name = files?.nextObject() as? String {
                var status = stat()
                if lstat("\(folder)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG {
                    bytes += Int64(status.st_blocks) * 512
                }
            }
            return sum + bytes
        }
    }

    private static func length(of path: String) -> Int64 {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }

    private static func name(of user: uid_t) -> String {
        getpwuid(user).map { String(cString: $0.pointee.pw_name) } ?? "\(user)"
    }

    private static func reason(_ number: Int32) -> String { String(cString: strerror(number)) }
}
