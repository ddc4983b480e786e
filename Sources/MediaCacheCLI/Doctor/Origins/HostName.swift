import Foundation
import MediaCache
import MediaLibrary

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Names of hosts.
enum HostName {
    /// Why a name has no address, in the resolver's words.
    struct Failure: Error, Sendable, CustomStringConvertible {
        var description: String
    }

    /// The addresses of a name, as text.
    static func addresses(of name: String) async throws -> Result<[String], Failure> {
        try await BlockingWork.run {
            var hints = addrinfo()
            #if canImport(Glibc)
                hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
            #else
                hints.ai_socktype = SOCK_STREAM
            #endif
            var found: UnsafeMutablePointer<addrinfo>?
            let code = getaddrinfo(name, nil, &hints, &found)
            guard code == 0 else { return .failure(Failure(description: String(cString: gai_strerror(code)))) }
            defer { freeaddrinfo(found) }
            var addresses: [String] = []
            var next = found
            while let entry = next?.pointee {
                var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
                let length = socklen_t(text.count)
                if getnameinfo(entry.ai_addr, entry.ai_addrlen, &text, length, nil, 0, NI_NUMERICHOST) == 0 {
                    let address = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
                    if !addresses.contains(address) { addresses.append(address) }
                }
                next = entry.ai_next
            }
            return .success(addresses)
        }
    }
}
