/// Why a call of ``APIClient`` brought no answer.
public enum APIClientError: Error, Sendable {
    /// Nobody answers at `address`.
    case unreachable(address: String, cause: any Error)
    /// Something answers at `address`, but not as the API says; the text names the call.
    case unexpectedAnswer(String, address: String, cause: (any Error)?)
}

extension APIClientError: CustomStringConvertible {
    /// One sentence for a person.
    public var description: String {
        switch self {
        case .unreachable(let address, let cause):
            OriginFailure.isRefusal(cause)
                ? "nothing listens at \(address)" : "nothing answers at \(address) (\(cause))"
        case .unexpectedAnswer(let call, let address, let cause):
            "\(address) answers \(call) in an unknown way; is it another version?" + (cause.map { " (\($0))" } ?? "")
        }
    }
}
