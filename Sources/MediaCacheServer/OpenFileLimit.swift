#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The limit of open files, which shells set low: every player, origin and blob takes one.
package enum OpenFileLimit {
    #if canImport(Glibc)
        private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        private static let resource = RLIMIT_NOFILE
    #endif

    /// What the limit is now; 0 where the system doesn't say.
    static var current: Int {
        var limit = rlimit()
        return getrlimit(resource, &limit) == 0 ? Int(clamping: limit.rlim_cur) : 0
    }

    /// The hard limit; nil where the system doesn't report one. `UInt64.max` means unlimited.
    package static var most: UInt64? {
        var limit = rlimit()
        return getrlimit(resource, &limit) == 0 ? UInt64(limit.rlim_max) : nil
    }

    /// Raises the limit of this process as far as it may, and returns what it is then.
    @discardableResult
    static func raise() -> Int {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return 0 }
        // More than a million serves nobody, and Darwin refuses what is over its own ceiling.
        var wanted = min(limit.rlim_max, 1 << 20)
        #if canImport(Darwin)
            wanted = min(wanted, rlim_t(OPEN_MAX))
        #endif
        guard limit.rlim_cur < wanted else { return Int(limit.rlim_cur) }
        limit.rlim_cur = wanted
        return setrlimit(resource, &limit) == 0 ? Int(wanted) : 0
    }
}
