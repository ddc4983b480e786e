#if canImport(Darwin)
    import Darwin
#else
    import CMediaCacheShims
    #if canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif
#endif

/// A copy that shares its blocks with the original, where the file system can.
enum FileClone {
    /// Makes `target` a clone of `source`; `target` must not be there yet.
    ///
    /// - Returns: false if the file system can't, and then nothing was made.
    static func make(from source: String, to target: String) -> Bool {
        #if canImport(Darwin)
            clonefile(source, target, 0) == 0
        #else
            let input = open(source, O_RDONLY | O_CLOEXEC)
            guard input >= 0 else { return false }
            defer { close(input) }
            let output = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
            guard output >= 0 else { return false }
            defer { close(output) }
            if mc_reflink(input, output) == 0 { return true }
            unlink(target)
            return false
        #endif
    }
}
