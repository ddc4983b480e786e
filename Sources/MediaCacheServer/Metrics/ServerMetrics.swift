import Synchronization

/// Counts what the server answered, by route and class of status.
final class ServerMetrics: Sendable {
    /// The counters at one moment.
    struct Snapshot: Sendable {
        /// Responses by ``RouteKind`` and class of status (1 to 5).
        var responses: [Int]
        /// Body bytes written, by ``RouteKind``.
        var bytes: [Int64]

        func responses(_ kind: RouteKind, statusClass: Int) -> Int { responses[kind.rawValue * 6 + statusClass] }
        func bytes(_ kind: RouteKind) -> Int64 { bytes[kind.rawValue] }
    }

    private let counters: Mutex<Snapshot>

    init() {
        let kinds = RouteKind.allCases.count
        counters = Mutex(
            Snapshot(responses: Array(repeating: 0, count: kinds * 6), bytes: Array(repeating: 0, count: kinds))
        )
    }

    /// Counts one response. A status of 0 is a connection that ended before its response's head.
    func count(_ kind: RouteKind, status: Int, bytes: Int64) {
        let statusClass = min(max(status / 100, 0), 5)
        counters.withLock {
            $0.responses[kind.rawValue * 6 + statusClass] += 1
            $0.bytes[kind.rawValue] += bytes
        }
    }

    var snapshot: Snapshot { counters.withLock { $0 } }
}
