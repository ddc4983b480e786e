import Foundation

/// The process's limit of open files. Every connection and open blob uses one, and the default limit of shells is low.
package enum OpenFileLimit {
    #if canImport(Glibc)
        private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        private static let resource = RLIMIT_NOFILE
    #endif

    /// The current limit; 0 if the system doesn't report it.
    static var current: Int {
        var limit = rlimit()
        return getrlimit(resource, &limit) == 0 ? Int(clamping: limit.rlim_cur) : 0
    }

    /// The hard limit; nil if the system doesn't report one. The system's `RLIM_INFINITY` means unlimited.
    package static var maximum: UInt64? {
        var limit = rlimit()
        return getrlimit(resource, &limit) == 0 ? UInt64(limit.rlim_max) : nil
    }

    /// Raises the limit as far as permitted, up to about a million.
    ///
    /// - Returns: The new limit; 0 if it can't be read or raised.
    @discardableResult
    static func raise() -> Int {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return 0 }
        // More than a million files isn't needed, and Darwin refuses limits above its own ceiling.
        var target = min(limit.rlim_max, 1 << 20)
        #if canImport(Darwin)
            target = min(target, rlim_t(OPEN_MAX))
        #endif
        guard limit.rlim_cur < target else { return Int(limit.rlim_cur) }
        limit.rlim_cur = target
        return setrlimit(resource, &limit) == 0 ? Int(target) : 0
    }
}
