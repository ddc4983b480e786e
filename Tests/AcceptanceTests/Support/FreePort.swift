import TestSupport

/// Unused ports of the loopback address, for servers whose port must be known before they listen.
enum FreePort {
    /// Returns an unused port. Another process could take it before the server does, which is unlikely.
    static func next() throws -> Int {
        let port = try RefusingPort()
        defer { port.close() }
        return port.number
    }
}
