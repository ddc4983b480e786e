import MediaCache
import NIOCore

extension IPAddress {
    /// The address of a socket; nil for one without, such as a Unix domain socket.
    init?(_ address: SocketAddress) {
        guard let text = address.ipAddress else { return nil }
        self.init(text)
    }
}
