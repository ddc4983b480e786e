import NIOCore
import Synchronization

/// Where a server listens at the moment.
final class AddressBook: Sendable {
    private let publicPath: String
    private let addresses = Mutex<[SocketAddress]>([])

    /// - Parameter publicPath: what a reverse proxy puts before every path, or empty.
    init(publicPath: String = "") {
        var path = Substring(publicPath)
        while path.hasSuffix("/") { path = path.dropLast() }
        self.publicPath = path.isEmpty || path.hasPrefix("/") ? String(path) : "/\(path)"
    }

    func set(_ addresses: [SocketAddress]) {
        self.addresses.withLock { $0 = addresses }
    }

    /// All addresses as URLs without a path.
    var all: [String] { addresses.withLock { $0 }.compactMap(Self.url) }

    var port: Int? { addresses.withLock { $0.first?.port } }

    /// What play URLs begin with.
    var base: String? { all.first.map { $0 + publicPath } }

    private static func url(_ address: SocketAddress) -> String? {
        guard let ip = address.ipAddress, let port = address.port else { return nil }
        switch address {
        case .v6: return "http://[\(ip == "::" ? "::1" : ip)]:\(port)"
        // An address that stands for all of them is none that a client could ask.
        default: return "http://\(ip == "0.0.0.0" ? "127.0.0.1" : ip):\(port)"
        }
    }
}
