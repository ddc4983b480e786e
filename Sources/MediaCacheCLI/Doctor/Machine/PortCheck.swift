import Foundation
import MediaCache

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Whether `serve` could listen, and if not, who does.
struct PortCheck: Sendable {
    /// The address.
    var host: String
    /// The port.
    var port: Int
    /// Who owns the cache folder; nil if nobody does.
    var owner: FolderOwner?

    /// Looks.
    func run() -> Finding {
        let check = "port"
        if port == 0 { return .ok(check, "0: the system picks a free one") }
        if let address = owner?.address, address.hasSuffix(":\(port)") {
            return .ok(check, "\(port) is the one at which process \(owner?.processID ?? 0) serves this folder")
        }
        let number = Self.listen(host: host, port: port)
        switch number {
        case 0: return .ok(check, "\(port) at \(host) is free")
        case EADDRINUSE:
            let who = ListeningProcess.find(port: port).map(\.description) ?? "another process"
            return .failure(
                check, "\(port) is taken by \(who)",
                advice: "end that one, or serve at another: --port 0 picks a free one")
        case EACCES:
            return .failure(
                check, "\(port) is for the system's own services",
                advice: "take one above 1023, and let a reverse proxy stand in front")
        case EADDRNOTAVAIL, EAFNOSUPPORT, EINVAL:
            return .failure(
                check, "\(host) is no address of this machine",
                advice: "name one with --host: 127.0.0.1, 0.0.0.0 for all, or one that `ip addr` lists")
        default:
            return .failure(check, "\(host):\(port): \(String(cString: strerror(number)))", advice: "take another")
        }
    }

    /// Whether players can reach this machine by its own name.
    static func loopback() -> Finding {
        let (four, six) = (listen(host: "127.0.0.1", port: 0), listen(host: "::1", port: 0))
        guard four == 0 else {
            return .failure(
                "loopback", "127.0.0.1 can't be listened at: \(String(cString: strerror(four)))",
                advice: "bring the loopback interface up (ip link set lo up)")
        }
        return .ok("loopback", six == 0 ? "IPv4 and IPv6" : "IPv4; this machine has no IPv6, and nothing here needs it")
    }

    /// Listens for a moment.
    ///
    /// - Returns: 0, or the system's number of what went wrong.
    private static func listen(host: String, port: Int) -> Int32 {
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV
        #if canImport(Glibc)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        var found: UnsafeMutablePointer<addrinfo>?
        let literal = host == "localhost" ? "127.0.0.1" : host.trimmingCharacters(in: ["[", "]"])
        guard getaddrinfo(literal, "\(port)", &hints, &found) == 0, let found else { return EADDRNOTAVAIL }
        defer { freeaddrinfo(found) }
        let descriptor = socket(found.pointee.ai_family, found.pointee.ai_socktype, found.pointee.ai_protocol)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        // As the server does: what an earlier one left in TIME_WAIT is no hindrance.
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard bind(descriptor, found.pointee.ai_addr, found.pointee.ai_addrlen) == 0 else { return errno }
        #if canImport(Glibc)
            let result = Glibc.listen(descriptor, 1)
        #elseif canImport(Musl)
            let result = Musl.listen(descriptor, 1)
        #else
            let result = Darwin.listen(descriptor, 1)
        #endif
        return result == 0 ? 0 : errno
    }
}
