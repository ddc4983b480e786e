import MediaCacheAPI
import Synchronization

/// Response counters, by route and status class.
final class ServerMetrics: Sendable {
    struct Snapshot: Sendable {
        /// The response counts, by ``RouteKind`` and status class (1 to 5, or 0 for none).
        var responses: [Int]
        /// The counts of body bytes written, by ``RouteKind``.
        var bytes: [Int64]

        func responses(_ kind: RouteKind, statusClass: Int) -> Int { responses[kind.rawValue * 6 + statusClass] }
        func bytes(_ kind: RouteKind) -> Int64 { bytes[kind.rawValue] }
    }

    private let counters: Mutex<Snapshot>

    init() {
        let kinds = RouteKind.allCases.count
        counters = Mutex(
            Snapshot(responses: Array(repeating: 0, count: kinds * 6), bytes: Array(repeating: 0, count: kinds)))
    }

    /// Counts a response. Status 0 means that the connection closed before the response's head.
    func count(_ kind: RouteKind, status: Int, bytes: Int64) {
        let statusClass = min(max(status / 100, 0), 5)
        counters.withLock {
            $0.responses[kind.rawValue * 6 + statusClass] += 1
            $0.bytes[kind.rawValue] += bytes
        }
    }

    var snapshot: Snapshot { counters.withLock { $0 } }
}

/// The kind of a request's route, used as the `route` label of the metrics. The set is closed, so that clients can't
/// add label values.
enum RouteKind: Int, CaseIterable {
    case play
    case library
    case live
    case api
    case page
    case healthz
    case metrics
    case other

    init(path: String) {
        if path.hasPrefix(PlayPath.prefix) {
            self = .play
        } else if path.hasPrefix(ReaderPath.prefix) {
            // The path after the token is a library or live path.
            let rest = path.dropFirst(ReaderPath.prefix.utf8.count)
            self = rest[(rest.firstIndex(of: "/") ?? rest.endIndex)...].hasPrefix(LiveRoute.prefix) ? .live : .library
        } else if path.hasPrefix(LibraryRoute.prefix) || path == ItemsRoute.path {
            self = .library
        } else if path.hasPrefix(LiveRoute.prefix) {
            self = .live
        } else if path.hasPrefix("/api/") {
            self = .api
        } else if path == "/" || path.hasPrefix(PageRoute.prefix) {
            self = .page
        } else if path == "/healthz" {
            self = .healthz
        } else if path == "/metrics" {
            self = .metrics
        } else {
            self = .other
        }
    }

    var label: String { "\(self)" }
}
