import MediaCacheAPI

/// What a request was for: the `route` label of the metrics. There are no others, so that no client can make more.
enum RouteKind: Int, CaseIterable {
    case play
    case library
    case live
    case api
    case page
    case health
    case metrics
    case other

    init(path: String) {
        if path.hasPrefix(PlayPath.prefix) {
            self = .play
        } else if path.hasPrefix(ReaderPath.prefix) {
            // The path after the token belongs to the library or to live.
            let rest = path.dropFirst(ReaderPath.prefix.utf8.count)
            self = rest[(rest.firstIndex(of: "/") ?? rest.endIndex)...].hasPrefix(LiveRoute.prefix) ? .live : .library
        } else if path.hasPrefix(LibraryRoute.prefix) {
            self = .library
        } else if path.hasPrefix(LiveRoute.prefix) {
            self = .live
        } else if path.hasPrefix("/api/") {
            self = .api
        } else if path == "/" || path.hasPrefix(PageRoute.prefix) {
            self = .page
        } else if path == "/healthz" {
            self = .health
        } else if path == "/metrics" {
            self = .metrics
        } else {
            self = .other
        }
    }

    var label: String {
        switch self {
        case .play: "play"
        case .library: "library"
        case .live: "live"
        case .api: "api"
        case .page: "page"
        case .health: "healthz"
        case .metrics: "metrics"
        case .other: "other"
        }
    }
}
