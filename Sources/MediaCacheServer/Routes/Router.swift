/// A table of routes by path.
struct Router: Sendable {
    private let exact: [String: any Route]
    private let prefixes: [(prefix: String, route: any Route)]

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
        self.prefixes = prefixes.sorted { $0.prefix.utf8.count > $1.prefix.utf8.count }
    }

    /// The paths of all routes, sorted. A path with a slash at the end includes all paths below it.
    var paths: [String] { Set(exact.keys).union(prefixes.map(\.prefix)).sorted() }

    /// Returns the route of `path`, or nil. The path `/` includes no other path.
    func route(for path: String) -> (any Route)? {
        exact[path] ?? prefixes.first { path.hasPrefix($0.prefix) }?.route
    }
}
