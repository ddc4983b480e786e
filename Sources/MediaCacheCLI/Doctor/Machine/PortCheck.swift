import Foundation
import MediaCache
import MediaCacheServer
import MediaLibrary

/// The check of the server's port.
struct PortCheck: Sendable {
    var host: String
    var port: Int
    var owner: FolderOwner?

    func run() -> DiagnosisFinding {
        let check = "port"
        if port == 0 { return .ok(check, "0: the system picks a free port") }
        if let address = owner?.address, address.hasSuffix(":\(port)") {
            return .ok(check, "process \(owner?.processID ?? 0) serves this folder on port \(port)")
        }
        let number = Self.listen(host: host, port: port)
        switch number {
        case 0: return .ok(check, "\(port) on \(host) is free")
        case EADDRINUSE:
            let process = ListeningProcess.find(port: port).map(\.description) ?? "another process"
            return .failure(
                check, "\(port) is in use by \(process)",
                advice: "end that process, or use another port: --port 0 picks a free one")
        case EACCES:
            return .failure(
                check, "\(port) is reserved for system services",
                advice: "use a port above 1023 behind a reverse proxy")
        case EADDRNOTAVAIL, EAFNOSUPPORT, EINVAL:
            return .failure(
                check, "\(host) is not an address of this machine",
                advice: "set --host to 127.0.0.1, 0.0.0.0 for all addresses, or an address of this machine")
        default:
            return .failure(check, "\(host):\(port): \(String(cString: strerror(number)))", advice: "use another port")
        }
    }

    static func loopback() -> DiagnosisFinding {
        let (four, six) = (listen(host: "127.0.0.1", port: 0), listen(host: "::1", port: 0))
        guard four == 0 else {
            return .failure(
                "loopback", "127.0.0.1 isn't available: \(String(cString: strerror(four)))",
                advice: "enable the loopback interface (on Linux: ip link set lo up)")
        }
        return .ok("loopback", six == 0 ? "IPv4 and IPv6" : "IPv4 only, which is sufficient")
    }

    /// Listens briefly, and returns 0 or the error number.
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
        // Like the server, ignore sockets in TIME_WAIT.
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard bind(descriptor, found.pointee.ai_addr, found.pointee.ai_addrlen) == 0 else { return errno }
        return startListening(descriptor) == 0 ? 0 : errno
    }
}

// Outside the type, whose method hides the system's `listen`.
private func startListening(_ descriptor: Int32) -> Int32 { listen(descriptor, 1) }
