import TestSupport

/// Unused ports of the loopback address, for programs that can't choose one themselves.
enum FreePort {
    /// Returns an unused port. Another process could take it before the program does, which is unlikely.
    static func next() throws -> Int {
        let port = try RefusingPort()
        defer { port.close() }
        return port.number
    }
}
