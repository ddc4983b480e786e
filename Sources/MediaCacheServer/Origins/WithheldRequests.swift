import NIOHTTP1
import Synchronization

/// Requests that wait for a checked connection.
///
/// The HTTP client receives a placeholder with an unknown method and without target, header fields and credentials.
/// After the check of a connection's address, a handler is added that replaces the placeholder by the request. Without
/// that handler, the request is never sent.
final class WithheldRequests: Sendable {
    /// The placeholder's method.
    static let method = HTTPMethod.RAW(value: "UNCHECKED")
    /// The placeholder's only field: the ticket of its request.
    static let ticketField = "mediacache-ticket"

    private struct State {
        var next: UInt64 = 0
        var heads: [UInt64: HTTPRequestHead] = [:]
    }

    private let state = Mutex(State())

    /// Withholds a request and returns its ticket.
    func add(_ head: HTTPRequestHead) -> UInt64 {
        state.withLock { state in
            state.next += 1
            state.heads[state.next] = head
            return state.next
        }
    }

    /// Removes and returns the request of a placeholder; nil if there is none.
    func take(for placeholder: HTTPRequestHead) -> HTTPRequestHead? {
        guard placeholder.method == Self.method,
            let ticket = placeholder.headers.first(name: Self.ticketField).flatMap({ UInt64($0) })
        else { return nil }
        return state.withLock { $0.heads.removeValue(forKey: ticket) }
    }

    /// Returns whether a request is still withheld.
    func contains(_ ticket: UInt64) -> Bool { state.withLock { $0.heads[ticket] != nil } }

    /// Removes a request if it is still withheld.
    func remove(_ ticket: UInt64) { state.withLock { $0.heads[ticket] = nil } }
}
