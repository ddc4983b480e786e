import NIOCore

/// Ends connections whose client takes too long: for a head, for a body, between requests, or for what it asked for.
///
/// It stands first in the pipeline, where it sees a head's first byte. One timer looks at the deadline now and then;
/// nothing is scheduled for each request.
final class ConnectionClock: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private enum Phase {
        case idle
        case head
        case body
        case response
    }

    private let limits: ServerLimits
    private let tick: TimeAmount
    private var phase = Phase.head
    private var deadline = NIODeadline.distantFuture
    private var timer: RepeatedTask?
    private var loop: (any EventLoop)?

    init(limits: ServerLimits) {
        self.limits = limits
        let shortest = min(limits.headTimeout, limits.bodyTimeout, limits.idleTimeout, limits.stallTimeout)
        tick = max(.milliseconds(20), TimeAmount(shortest / 4))
    }

    func handlerAdded(context: ChannelHandlerContext) {
        loop = context.eventLoop
        // A client that connects and says nothing is as slow as one that says little.
        enter(.head, limits.headTimeout)
        let channel = context.channel
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleRepeatedTask(initialDelay: tick, delay: tick) { _ in
            if bound.value.isOverdue(isWritable: channel.isWritable) { channel.close(promise: nil) }
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if phase == .idle { enter(.head, limits.headTimeout) }
        context.fireChannelRead(data)
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
        context.fireChannelInactive()
    }

    /// A head has come.
    func headArrived() { enter(.body, limits.bodyTimeout) }

    /// The whole request has come.
    func requestArrived() { enter(.response, limits.stallTimeout) }

    /// The client has taken something of the response.
    func clientTookBytes() { enter(.response, limits.stallTimeout) }

    /// The response has been written.
    func responseEnded() { enter(.idle, limits.idleTimeout) }

    private func enter(_ phase: Phase, _ limit: Duration) {
        guard let loop else { return }
        self.phase = phase
        deadline = loop.now + TimeAmount(limit)
    }

    private func isOverdue(isWritable: Bool) -> Bool {
        guard let loop, loop.now >= deadline else { return false }
        // While the client has taken all there was, it's the origin that is waited for, and the engine watches that.
        return phase != .response || !isWritable
    }
}
