import NIOCore
import Synchronization

/// The connections that are open.
final class ConnectionRegistry: Sendable {
    private let channels = Mutex<[ObjectIdentifier: any Channel]>([:])
    /// The most at once.
    let maximum: Int

    init(maximum: Int) {
        self.maximum = maximum
    }

    var count: Int { channels.withLock { $0.count } }

    /// Notes a connection until it closes; false if there are too many.
    func add(_ channel: any Channel) -> Bool {
        let id = ObjectIdentifier(channel)
        let isTaken = channels.withLock { channels in
            guard channels.count < maximum else { return false }
            channels[id] = channel
            return true
        }
        guard isTaken else { return false }
        channel.closeFuture.whenComplete { _ in
            self.channels.withLock { _ = $0.removeValue(forKey: id) }
        }
        return true
    }

    /// Tells every connection to end after its running response, and returns when all have, or after `grace`, when
    /// those that are left are closed.
    func drain(within grace: Duration, on loop: any EventLoop) async {
        let open = channels.withLock { Array($0.values) }
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
