import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Why a port can't be had, in words.
package enum BindFailure {
    /// The reason in `error`.
    package static func reason(_ error: any Error) -> String {
        if let error = error as? SocketAddressError.UnknownHost { return "“\(error.host)” names no address" }
        guard let error = error as? IOError else { return "\(error)" }
        switch error.errnoCode {
        case EADDRINUSE: return "another program uses that port"
        case EACCES, EPERM: return "ports below 1024 are for the system's administrator"
        case EADDRNOTAVAIL: return "this machine has no such address"
        default: return String(cString: strerror(error.errnoCode))
        }
    }
}
