/// A request's path, and the token before it if there is one: `/k/<token>/library/…`.
struct ReaderPath {
    /// The beginning of paths that hold a token.
    static let prefix = "/k/"

    /// The token as it was sent. It has not been checked.
    let token: Substring?
    /// The path behind the token.
    let path: String

    init(_ path: String) {
        guard path.hasPrefix(Self.prefix), let end = path.dropFirst(Self.prefix.count).firstIndex(of: "/") else {
            token = nil
            self.path = path
            return
        }
        token = path[..<end].dropFirst(Self.prefix.count)
        self.path = String(path[end...])
    }
}
