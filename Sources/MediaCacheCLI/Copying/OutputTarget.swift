import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Where a file is to be put that appears whole or not at all.
struct OutputTarget: Sendable, Hashable {
    /// The file's path.
    var path: String
    /// Whether a file of that name may be replaced.
    var overwrites: Bool

    /// Whether a file could be put there, before anything is done for it.
    ///
    /// - Throws: ``CommandFailure``, naming the file and what is in the way.
    func check() throws {
        if !overwrites, access(path, F_OK) == 0 { throw isThere }
        guard access(folder.isEmpty ? "." : folder, W_OK | X_OK) == 0 else { throw failure("write", path) }
    }

    /// A name in the target's folder, so that the last step stays within one file system.
    func temporaryName() -> String {
        "\(folder).mediacache-\(getpid())-\(String(UInt32.random(in: 0 ... .max), radix: 16)).part"
    }

    /// Gives the file at `temporary` its name. Where that throws, the file stays.
    ///
    /// - Throws: ``CommandFailure``, naming the file and the system's reason.
    func place(_ temporary: String) throws {
        // It's the person's file now: as open to others as what that person makes.
        let mask = umask(0)
        umask(mask)
        chmod(temporary, 0o666 & ~mask)
        if overwrites {
            // rename(2) of two names of one file does nothing and leaves both; then the target is right already.
            guard rename(temporary, path) == 0 else { throw failure("put it at", path) }
        } else if link(temporary, path) != 0 {
            if errno == EEXIST { throw isThere }
            // A file system without hard links: rename, which would replace a file that appeared just now.
            guard access(path, F_OK) != 0, rename(temporary, path) == 0 else { throw failure("put it at", path) }
        }
    }

    /// A failure of the system's last call.
    func failure(_ action: String, _ path: String) -> CommandFailure {
        CommandFailure(.failed, "can't \(action) “\(path)”: \(String(cString: strerror(errno)))")
    }

    private var isThere: CommandFailure {
        CommandFailure(.failed, "“\(path)” is there already; --force replaces it")
    }

    /// The path up to its last slash, the slash included; empty if there is none.
    private var folder: String { path.lastIndex(of: "/").map { String(path[...$0]) } ?? "" }
}
