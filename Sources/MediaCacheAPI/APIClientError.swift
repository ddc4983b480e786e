import MediaCache

/// An error of ``APIClient``.
public enum APIClientError: Error, Sendable {
    /// The server at `address` doesn't respond, or the URL of the request is invalid.
    case unreachable(address: String, cause: any Error)
    /// The response to a call, such as `GET /api/v1/usage`, violates the API. The text may also name the violation.
    case unexpectedResponse(String, address: String, cause: (any Error)?)
}

extension APIClientError: CustomStringConvertible {
    /// The error as one sentence.
    public var description: String {
        switch self {
        case .unreachable(let address, let cause):
            (cause as? CacheError)?.message ?? "the server at \(address) doesn't respond (\(cause))"
        case .unexpectedResponse(let call, let address, let cause):
            "\(address) sent an unexpected response to \(call); its version may differ from this client's"
                + (cause.map { " (\($0))" } ?? "")
        }
    }
}
