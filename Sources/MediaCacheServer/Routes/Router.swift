/// A table of routes by path.
struct Router: Sendable {
    /// A route of the table.
    struct Entry: Sendable {
        let route: any Route
        /// The route as a media route; nil if it isn't one. It is stored because the conversion costs more than finding
        /// the route.
        let media: (any MediaRoute)?

        init(_ route: any Route) {
            self.route = route
            media = route as? any MediaRoute
        }
    }

    private let exact: [String: Entry]
    /// The length of the longest exact path. Longer paths, such as those of media, aren't looked up.
    private let longestExact: Int
    /// The prefixes, longest first. `prefixEntries` contains their routes at the same indices.
    private let prefixes: [String]
    private let prefixEntries: [Entry]

    /// Creates a table. If two routes have the same path, the first one wins.
    init(_ routes: [any Route]) {
        var exact: [String: Entry] = [:]
        var prefixes: [(prefix: String, entry: Entry)] = []
        for route in routes {
            let entry = Entry(route)
            for path in route.paths {
                if exact[path] == nil { exact[path] = entry }
                if path.hasSuffix("/"), path != "/" { prefixes.append((path, entry)) }
            }
        }
        self.exact = exact
        longestExact = exact.keys.map(\.utf8.count).max() ?? 0
        prefixes.sort { $0.prefix.utf8.count > $1.prefix.utf8.count }
        self.prefixes = prefixes.map(\.prefix)
        prefixEntries = prefixes.map(\.entry)
    }

    /// The paths of all routes, sorted.
    var paths: [String] { Set(exact.keys).union(prefixes).sorted() }

    /// Returns whether any path below `folder` is the path of a route, with or without a token.
    func overlaps(_ folder: String) -> Bool {
        let folder = folder + "/"
        return ([ReaderPath.prefix] + paths).contains { path in
            path != "/" && (path.hasPrefix(folder) || (path.hasSuffix("/") && folder.hasPrefix(path)))
        }
    }

    /// Returns the route of `path`; nil if there is none. The path `/` includes no other path.
    func entry(for path: String) -> Entry? {
        if path.utf8.count <= longestExact, let entry = exact[path] { return entry }
        return prefixes.firstIndex { path.hasPrefix($0) }.map { prefixEntries[$0] }
    }
}
