import NIOCore
import NIOPosix

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// An error of ``APIClient``.
public enum APIClientError: Error, Sendable {
    /// The server at `address` doesn't respond.
    case unreachable(address: String, cause: any Error)
    /// The response to a call violates the API. The first value is the call, such as `GET /api/v1/usage`.
    case unexpectedResponse(String, address: String, cause: (any Error)?)
}

extension APIClientError: CustomStringConvertible {
    /// The error as one sentence.
    public var description: String {
        switch self {
        case .unreachable(let address, let cause):
            cause.isConnectionRefused
                ? "connection refused by \(address); check the address, and whether the server is running"
                : "the server at \(address) doesn't respond (\(cause))"
        case .unexpectedResponse(let call, let address, let cause):
            "\(address) sent an unexpected response to \(call); its version may differ from this client's"
                + (cause.map { " (\($0))" } ?? "")
        }
    }
}

extension Error {
    /// Whether at least one address of the host refused the connection. The host's other addresses may belong to an
    /// address family without a network on this machine.
    package var isConnectionRefused: Bool {
        switch self {
        case let error as IOError: error.errnoCode == ECONNREFUSED
        case let error as NIOConnectionError: error.connectionErrors.contains { $0.error.isConnectionRefused }
        default: false
        }
    }
}
