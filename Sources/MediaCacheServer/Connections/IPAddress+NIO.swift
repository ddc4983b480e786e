import MediaCache
import NIOCore

extension IPAddress {
    /// Creates the address of a socket; nil if it has none, as a Unix domain socket.
    init?(_ address: SocketAddress) {
        guard let text = address.ipAddress else { return nil }
        self.init(text)
    }
}
