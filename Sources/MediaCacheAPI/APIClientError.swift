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
    /// No server responds at `address`.
    case unreachable(address: String, cause: any Error)
    /// The response to a call violates the API. The first value names the call.
    case unexpectedAnswer(String, address: String, cause: (any Error)?)
}

extension APIClientError: CustomStringConvertible {
    /// The error as one sentence.
    public var description: String {
        switch self {
        case .unreachable(let address, let cause):
            cause.isConnectionRefused
                ? "nothing listens at \(address)" : "nothing answers at \(address) (\(cause))"
        case .unexpectedAnswer(let call, let address, let cause):
            "\(address) gave an unexpected response to \(call); is it another version?"
                + (cause.map { " (\($0))" } ?? "")
        }
    }
}

extension Error {
    /// Whether a connection was refused by at least one address of the host. The other addresses may belong to a family
    /// that this machine has no network for.
    package var isConnectionRefused: Bool {
        switch self {
        case let error as IOError: error.errnoCode == ECONNREFUSED
        case let error as NIOConnectionError: error.connectionErrors.contains { $0.error.isConnectionRefused }
        default: false
        }
    }
}
