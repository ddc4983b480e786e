import MediaCache
import NIOCore
import Synchronization

/// The connections that are open.
final class ConnectionRegistry: Sendable {
    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        /// Open connections by the network of their peer.
        var counts: [[UInt8]: Int] = [:]
    }

    private let state = Mutex(State())
    /// The most at once.
    let maximum: Int
    private let maximumPerAddress: Int

    init(maximum: Int, maximumPerAddress: Int = .max) {
        self.maximum = maximum
        self.maximumPerAddress = maximumPerAddress
    }

    var count: Int { state.withLock { $0.channels.count } }

    /// Notes a connection until it closes; false if there are too many, in all or of its peer's address.
    func add(_ channel: any Channel) -> Bool {
        let id = ObjectIdentifier(channel)
        let network = Self.network(of: channel.remoteAddress)
        let isTaken = state.withLock { state in
            guard state.channels.count < maximum else { return false }
            if let network {
                guard state.counts[network, default: 0] < maximumPerAddress else { return false }
                state.counts[network, default: 0] += 1
            }
            state.channels[id] = channel
            return true
        }
        guard isTaken else { return false }
        channel.closeFuture.whenComplete { _ in
            self.state.withLock { state in
                state.channels[id] = nil
                guard let network, let count = state.counts[network] else { return }
                state.counts[network] = count > 1 ? count - 1 : nil
            }
        }
        return true
    }

    /// Returns the part of an address that one client holds: an IPv4 address, or the first 64 bits of an IPv6 address.
    /// Nil for a loopback address, which a reverse proxy's clients share.
    private static func network(of address: SocketAddress?) -> [UInt8]? {
        guard let address, !HostPolicy.isLoopback(address), let ip = IPAddress(address) else { return nil }
        return ip.bytes.count == 16 ? Array(ip.bytes.prefix(8)) : ip.bytes
    }

    /// Tells every connection to end after its running response, and returns when all have, or after `grace`, when
    /// those that are left are closed.
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

/// Told to a connection that is to end after its running response.
struct DrainConnection: Sendable {}
