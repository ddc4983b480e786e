import NIOCore

/// A handler that closes the connection of a client that is too slow to send a head, a body or the next request, or to
/// read a response.
///
/// It is the first handler of the pipeline, so that it sees the first byte of a head.
///
/// The stall limit applies while bytes are unsent, even after the end of the response. A response without unsent bytes
/// is waiting for its origin, which is subject to the engine's timeouts.
final class ConnectionClock: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private enum Phase {
        case idle
        case head
        case body
        case response
    }

    /// The minimum number of bytes that a client must read within the stall limit. A slower client counts as stalled.
    private static let minimumProgress = PieceBuffers.pieceSize / 4

    private let limits: ServerLimits
    private let tick: TimeAmount
    private let unsentBytes: (any Channel) -> Int
    private var phase = Phase.head
    private var deadline = NIODeadline.distantFuture
    /// Whether the response to the most recent request has ended. It ends before the request if, for example, the body
    /// is refused.
    private var hasResponded = false
    /// The maximum number of unsent bytes since the client last made progress; 0 if the buffer has been nearly emptied.
    private var unsent = 0
    private var stallDeadline = NIODeadline.distantFuture
    private var timer: RepeatedTask?
    private var loop: (any EventLoop)?

    /// - Parameter unsentBytes: Returns the number of bytes written to a channel but not yet to its socket.
    init(limits: ServerLimits, unsentBytes: @escaping (any Channel) -> Int = ConnectionClock.bufferedBytes) {
        self.limits = limits
        self.unsentBytes = unsentBytes
        let shortest = min(limits.headTimeout, limits.bodyTimeout, limits.idleTimeout, limits.stallTimeout)
        tick = max(.milliseconds(20), TimeAmount(shortest / 4))
    }

    static func bufferedBytes(of channel: any Channel) -> Int {
        (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }

    func handlerAdded(context: ChannelHandlerContext) {
        loop = context.eventLoop
        // The time for the first head starts with the connection.
        enter(.head)
        let channel = context.channel
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleRepeatedTask(initialDelay: tick, delay: tick) { _ in
            if bound.value.isOverdue(channel) { channel.close(promise: nil) }
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if phase == .idle { enter(.head) }
        context.fireChannelRead(data)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        // The buffer has been nearly emptied.
        if context.channel.isWritable { unsent = 0 }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
        context.fireChannelInactive()
    }

    func headArrived() {
        hasResponded = false
        enter(.body)
    }

    func requestArrived() {
        enter(hasResponded ? .idle : .response)
    }

    func responseEnded() {
        hasResponded = true
        // The rest of the body has its own deadline.
        if phase != .body { enter(.idle) }
    }

    private func enter(_ phase: Phase) {
        guard let loop else { return }
        self.phase = phase
        deadline = deadline(of: phase, at: loop.now)
    }

    private func isOverdue(_ channel: any Channel) -> Bool {
        guard let loop else { return false }
        let now = loop.now
        if isStalled(unsentBytes(channel), now) { return true }
        // A client that is still reading a response isn't idle, and a client that back pressure holds up isn't slow.
        let isBusy = phase == .idle ? unsent > 0 : !channel.isWritable
        if isBusy { deadline = deadline(of: phase, at: now) }
        return now >= deadline
    }

    /// Returns whether the client has read too little of the unsent bytes for too long.
    private func isStalled(_ count: Int, _ now: NIODeadline) -> Bool {
        guard count > 0 else {
            unsent = 0
            return false
        }
        if unsent == 0 || count <= unsent - Self.minimumProgress {
            unsent = count
            stallDeadline = now + TimeAmount(limits.stallTimeout)
        } else {
            // Newly written bytes neither hide the client's progress nor extend its deadline.
            unsent = max(unsent, count)
        }
        return now >= stallDeadline
    }

    /// Returns the deadline of a phase that starts now. A response has only the stall limit.
    private func deadline(of phase: Phase, at now: NIODeadline) -> NIODeadline {
        switch phase {
        case .idle: now + TimeAmount(limits.idleTimeout)
        case .head: now + TimeAmount(limits.headTimeout)
        case .body: now + TimeAmount(limits.bodyTimeout)
        case .response: .distantFuture
        }
    }
}
