/// A path as it came, and the key before it if there is one: `/k/<key>/library/…`.
struct ReaderPath {
    /// How paths begin that hold the key.
    static let prefix = "/k/"

    /// The key as it came. It has not been checked.
    let key: Substring?
    /// The path behind the key.
    let path: String

    init(_ path: String) {
        guard path.hasPrefix(Self.prefix), let end = path.dropFirst(Self.prefix.count).firstIndex(of: "/") else {
            key = nil
            self.path = path
            return
        }
        key = path[..<end].dropFirst(Self.prefix.count)
        self.path = String(path[end...])
    }
}
