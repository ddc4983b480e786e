/// A table of routes by path.
struct Router: Sendable {
    private let exact: [String: any Route]
    /// The length of the longest exact path. Longer paths, such as those of media, aren't looked up.
    private let longestExact: Int
    /// The prefixes, the longest first, and their routes.
    private let prefixes: [String]
    private let prefixRoutes: [any Route]

    /// Creates a table. If two routes have the same path, the first one wins.
    init(_ routes: [any Route]) {
        var exact: [String: any Route] = [:]
        var prefixes: [(prefix: String, route: any Route)] = []
        for route in routes {
            for path in route.paths {
                if exact[path] == nil { exact[path] = route }
                if path.hasSuffix("/"), path != "/" { prefixes.append((path, route)) }
            }
        }
        self.exact = exact
        longestExact = exact.keys.map(\.utf8.count).max() ?? 0
        prefixes.sort { $0.prefix.utf8.count > $1.prefix.utf8.count }
        self.prefixes = prefixes.map(\.prefix)
        prefixRoutes = prefixes.map(\.route)
    }

    /// The paths of all routes, sorted. A path with a slash at the end includes all paths below it.
    var paths: [String] { Set(exact.keys).union(prefixes).sorted() }

    /// Returns the route of `path`, or nil. The path `/` includes no other path.
    func route(for path: String) -> (any Route)? {
        if path.utf8.count <= longestExact, let route = exact[path] { return route }
        return prefixes.firstIndex { path.hasPrefix($0) }.map { prefixRoutes[$0] }
    }
}
