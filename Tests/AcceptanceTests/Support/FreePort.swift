import Synchronization
import TestSupport

/// Unused ports of the loopback address, for servers whose port must be known before they listen.
enum FreePort {
    /// Ports below those that the system assigns to connections. Until a server listens on such a port, only another
    /// server can take it. The scripts and the page's tests use lower ports.
    private static let range = 30_000..<32_768
    private static let latest = Mutex(Int.random(in: range))

    /// Returns an unused port. The next call returns another one, even if this one is still unused.
    static func next() throws -> Int {
        let port = latest.withLock { latest -> Int? in
            for _ in range {
                latest = latest + 1 < range.upperBound ? latest + 1 : range.lowerBound
                guard let probe = try? RefusingPort(latest) else { continue }
                probe.close()
                return latest
            }
            return nil
        }
        guard let port else { throw HarnessError("no port of \(range) is free") }
        return port
    }
}
