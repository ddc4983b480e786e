import MediaCache
import NIOCore
import Synchronization

/// The open connections of a server.
final class ConnectionRegistry: Sendable {
    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        /// The number of open connections for each client network.
        var counts: [[UInt8]: Int] = [:]
    }

    private let state = Mutex(State())
    let maximum: Int
    private let maximumPerAddress: Int

    init(maximum: Int, maximumPerAddress: Int = .max) {
        self.maximum = maximum
        self.maximumPerAddress = maximumPerAddress
    }

    var count: Int { state.withLock { $0.channels.count } }

    /// Registers a connection until it closes.
    ///
    /// - Returns: Whether it is registered; false if there are too many in total or from the peer's network.
    func add(_ channel: any Channel) -> Bool {
        let id = ObjectIdentifier(channel)
        let network = Self.network(of: channel.remoteAddress)
        let isRegistered = state.withLock { state in
            guard state.channels.count < maximum else { return false }
            if let network {
                guard state.counts[network, default: 0] < maximumPerAddress else { return false }
                state.counts[network, default: 0] += 1
            }
            state.channels[id] = channel
            return true
        }
        guard isRegistered else { return false }
        channel.closeFuture.whenComplete { _ in
            self.state.withLock { state in
                state.channels[id] = nil
                guard let network, let count = state.counts[network] else { return }
                state.counts[network] = count > 1 ? count - 1 : nil
            }
        }
        return true
    }

    /// Returns the network of a client: its IPv4 address, or the first 64 bits of its IPv6 address. Nil for a loopback
    /// address, which the clients of a reverse proxy share.
    private static func network(of address: SocketAddress?) -> [UInt8]? {
        guard !HostPolicy.isLoopback(address), let ip = IPAddress(address?.ipAddress ?? "") else { return nil }
        return ip.bytes.count == 16 ? Array(ip.bytes.prefix(8)) : ip.bytes
    }

    /// Closes every connection after its running response, and the remaining ones after `grace`. Returns when all are
    /// closed.
    func drain(within grace: Duration, on loop: any EventLoop) async {
        let open = state.withLock { Array($0.channels.values) }
        guard !open.isEmpty else { return }
        for channel in open { channel.pipeline.fireUserInboundEventTriggered(DrainConnection()) }
        let closed = EventLoopFuture.andAllComplete(open.map(\.closeFuture), on: loop)
        let timer = loop.scheduleTask(in: TimeAmount(grace)) {
            for channel in open { channel.close(promise: nil) }
        }
        try? await closed.get()
        timer.cancel()
    }
}

/// The event that closes a connection after its running response.
struct DrainConnection: Sendable {}
