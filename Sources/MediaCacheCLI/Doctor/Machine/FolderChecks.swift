import CMediaCacheShims
import Foundation
import MediaCache
import MediaCacheAPI

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Checks of the cache folder. Nothing of it is changed; what is tried out is tried in a file that is gone at once.
struct FolderChecks: Sendable {
    /// The folder, or the two of them.
    var location: CacheLocation
    /// How much may be kept.
    var limits: CacheLimits
    /// Who owns it; nil if nobody does.
    var owner: FolderOwner?

    /// All of them.
    func run() -> [Finding] {
        let folders =
            location.durable == location.evictable
            ? [location.durable] : [location.durable, location.evictable]
        return folders.flatMap { [folder($0), space($0), fileSystem($0)].compactMap(\.self) } + [catalog(), key()]
    }

    /// Whether it can be written, and whose it is.
    private func folder(_ path: String) -> Finding {
        var status = stat()
        guard stat(path, &status) == 0 else {
            let parent = Self.existing(above: path)
            guard access(parent, W_OK) == 0 else {
                return .failure(
                    "cache folder", "\(path) isn't there, and \(parent) can't be written: \(Self.reason(errno))",
                    advice: "make the folder, or name another with --cache")
            }
            return .ok("cache folder", "\(path) isn't there yet; it will be made")
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            return .failure(
                "cache folder", "\(path) is no folder", advice: "move it away, or name another with --cache")
        }
        let whose = status.st_uid == geteuid() ? "ours" : "of user \(Self.name(of: status.st_uid))"
        guard access(path, W_OK | X_OK) == 0 else {
            return .failure(
                "cache folder", "\(path), \(whose), can't be written: \(Self.reason(errno))",
                advice: "run as user \(Self.name(of: status.st_uid)), or chown it to \(Self.name(of: geteuid()))")
        }
        guard status.st_uid == geteuid() else {
            return .warning(
                "cache folder", "\(path) can be written, but is \(whose)",
                advice: "run as user \(Self.name(of: status.st_uid)), or files of two users will lie there")
        }
        return .ok("cache folder", "\(path), \(whose), can be written")
    }

    /// Whether there is room for what the limits allow.
    private func space(_ path: String) -> Finding? {
        guard let free = try? POSIXFileSystem().freeBytes(at: Self.existing(above: path)) else { return nil }
        return Self.judge(free: free, used: Self.used(location), limits: limits)
    }

    /// Whether `free` bytes are enough.
    ///
    /// - Parameter used: what is kept already.
    static func judge(free: Int64, used: Int64, limits: CacheLimits) -> Finding {
        let reserve = limits.minimumFreeBytes
        let (isFree, isReserved) = ("\(ByteCount(free)) free", "\(ByteCount(reserve)) of the disk are to stay free")
        guard free > reserve else {
            return .failure(
                "disk space", "\(isFree), and \(isReserved): nothing new can be kept",
                advice: "free some room, or lower --min-free")
        }
        let room = used + free - reserve
        guard let most = limits.maximumBytes else {
            return .ok("disk space", "\(isFree); up to \(ByteCount(room)) can be kept, without another limit")
        }
        guard room >= most else {
            return .warning(
                "disk space", "\(isFree): the limit of \(ByteCount(most)) can't be reached, only \(ByteCount(room))",
                advice: "free some room, or set --max-size to \(ByteCount(room)) or less")
        }
        return .ok("disk space", "\(isFree); the limit of \(ByteCount(most)) can be reached")
    }

    /// What the file system can do.
    private func fileSystem(_ path: String) -> Finding? {
        guard access(path, W_OK | X_OK) == 0 else { return nil }
        do {
            let abilities = try FileSystemAbilities(folder: path)
            let kind = FileSystemAbilities.kind(of: path).map { "\($0): " } ?? ""
            let reflinks = abilities.clones ? "reflinks" : "no reflinks (files are copied out by hard link or copy)"
            guard abilities.isSparse, abilities.punchesHoles else {
                let missing = [abilities.isSparse ? nil : "sparse files", abilities.punchesHoles ? nil : "holes"]
                return .warning(
                    "file system", "\(kind)no \(missing.compactMap(\.self).joined(separator: ", no ")), \(reflinks)",
                    advice: "parts of large files can't be given up one by one; ext4, XFS, Btrfs and APFS can do that")
            }
            return .ok("file system", "\(kind)sparse files, holes, \(reflinks)")
        } catch {
            return .failure(
                "file system", "a file can't be written in \(path): \(error)",
                advice: "free some room, make it writable, or name another folder with --cache")
        }
    }

    /// Whether the catalog opens.
    private func catalog() -> Finding {
        let path = "\(location.durable)/catalog.sqlite"
        if let owner {
            return .ok("catalog", "in use by process \(owner.processID), so it wasn't opened")
        }
        guard FileManager.default.fileExists(atPath: path) else { return .ok("catalog", "there is none yet") }
        do {
            // In memory, with what the file has: nothing is written.
            _ = try Catalog(.copy(of: path))
            return .ok("catalog", "\(path) opens, \(ByteCount(Self.length(of: path)))")
        } catch let error as CacheError where error.code == .newerFormat {
            return .failure("catalog", error.message, advice: "use that version, or another folder")
        } catch {
            return .failure(
                "catalog", "\(path) doesn't open: \((error as? CacheError)?.message ?? "\(error)")",
                advice: "start `mediacache serve`: it sets the file aside, and finds again what was pinned or recorded")
        }
    }

    /// Whether the key is ours alone.
    private func key() -> Finding {
        let path = AccessKeyFile(location: location).path
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard errno == ENOENT else {
                return .failure(
                    "key", "\(path) can't be looked at: \(Self.reason(errno))", advice: "run as the folder's owner")
            }
            return .ok("key", "there is none yet; the first start makes it")
        }
        let mode = String(status.st_mode & 0o777, radix: 8)
        guard status.st_mode & 0o077 == 0 else {
            return .failure(
                "key", "\(path) can be read by others (mode \(mode))",
                advice: "chmod 600 '\(path)'; if somebody may have read it, remove it and a new one is made")
        }
        guard let text = try? String(contentsOfFile: path, encoding: .utf8),
            AccessKey(text.trimmingCharacters(in: .whitespacesAndNewlines)) != nil
        else {
            return .failure("key", "\(path) holds no key", advice: "remove it, and a new one is made")
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

    /// The bytes of the blobs that are there.
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
