package import Foundation

/// A port of 127.0.0.1 that refuses connections: a socket is bound to it without listening. Until it's closed, no other
/// process can use the port.
package final class RefusingPort: Sendable {
    /// The number of the port.
    package let number: Int
    private let descriptor: Int32

    /// An error of the system.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Binds a port; 0 for one that the kernel selects from a large range.
    package init(_ number: Int = 0) throws {
        #if canImport(Glibc)
            let stream = Int32(SOCK_STREAM.rawValue)
        #else
            let stream = SOCK_STREAM
        #endif
        let descriptor = socket(AF_INET, stream, 0)
        guard descriptor >= 0 else {
            throw Failure(description: "a socket can't be created: \(String(cString: strerror(errno)))")
        }
        var address = sockaddr_in.loopback(port: number)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, length) == 0 && getsockname(descriptor, pointer, &length) == 0
            }
        }
        guard isBound else {
            let code = errno
            Foundation.close(descriptor)
            throw Failure(
                description: "port \(number) of 127.0.0.1 can't be bound: \(String(cString: strerror(code)))")
        }
        self.descriptor = descriptor
        self.number = Int(UInt16(bigEndian: address.sin_port))
    }

    /// Releases the port.
    package func close() { Foundation.close(descriptor) }
}

extension sockaddr_in {
    /// Returns the address of a port of 127.0.0.1.
    package static func loopback(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        #if canImport(Darwin)
            address.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
        #endif
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return address
    }
}
