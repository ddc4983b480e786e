/// Finds the route of a path.
struct Router: Sendable {
    private let exact: [String: any Route]
    private let prefixes: [(prefix: String, route: any Route)]

    /// A table of routes. Of two with the same path the first counts.
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

    /// All paths that something answers, and those that stand for what begins with them, with a slash at the end.
    var paths: [String] { Set(exact.keys).union(prefixes.map(\.prefix)).sorted() }

    /// The route that answers `path`, or nil. `/` stands for itself alone.
    func route(for path: String) -> (any Route)? {
        exact[path] ?? prefixes.first { path.hasPrefix($0.prefix) }?.route
    }
}
