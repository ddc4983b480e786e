import NIOCore

/// Closes a connection whose client is too slow: with a head, with a body, with its next request, or in taking what
/// was written.
///
/// It is the first handler of the pipeline, where it sees the first byte of a head. One timer per connection compares
/// the deadlines now and then; a request schedules nothing.
///
/// A client is waited for while bytes are unsent, whichever response they belong to and whether that response has ended.
/// A response that has nothing unsent waits for its origin, which the engine watches.
final class ConnectionClock: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// The part of an exchange that the connection is in.
    private enum Phase {
        case idle
        case head
        case body
        case response
    }

    /// The least number of bytes that a client takes within a stall limit. A client that trickles is as silent as one
    /// that takes nothing.
    private static let leastTaken = PieceBuffers.pieceSize / 4

    private let limits: ServerLimits
    private let tick: TimeAmount
    private let unsentBytes: (any Channel) -> Int
    private var phase = Phase.head
    private var deadline = NIODeadline.distantFuture
    /// Whether the response ended before its request, as a refusal in the middle of a body does.
    private var isAnswered = false
    /// The bytes that were unsent when the client was last seen to take some; 0 when all are sent.
    private var unsent = 0
    private var stallDeadline = NIODeadline.distantFuture
    private var timer: RepeatedTask?
    private var loop: (any EventLoop)?

    /// - Parameter unsentBytes: returns the bytes that were written to a channel and that its client's system hasn't
    ///   taken.
    init(limits: ServerLimits, unsentBytes: @escaping (any Channel) -> Int = ConnectionClock.bufferedBytes) {
        self.limits = limits
        self.unsentBytes = unsentBytes
        let shortest = min(limits.headTimeout, limits.bodyTimeout, limits.idleTimeout, limits.stallTimeout)
        tick = max(.milliseconds(20), TimeAmount(shortest / 4))
    }

    /// Returns the bytes that a channel holds for its socket.
    static func bufferedBytes(of channel: any Channel) -> Int {
        (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }

    func handlerAdded(context: ChannelHandlerContext) {
        loop = context.eventLoop
        // A client that connects and sends nothing is as slow as one that sends little.
        enter(.head, limits.headTimeout)
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
        if phase == .idle { enter(.head, limits.headTimeout) }
        context.fireChannelRead(data)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        // The buffer has been nearly emptied since it was full.
        if context.channel.isWritable { unsent = 0 }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
        context.fireChannelInactive()
    }

    /// Notes that a request's head is complete.
    func headArrived() {
        isAnswered = false
        enter(.body, limits.bodyTimeout)
    }

    /// Notes that a request is complete.
    func requestArrived() {
        if isAnswered { enter(.idle, limits.idleTimeout) } else { phase = .response }
    }

    /// Notes that a response has been written to its end.
    func responseEnded() {
        isAnswered = true
        // The rest of a body has its own deadline.
        if phase != .body { enter(.idle, limits.idleTimeout) }
    }

    private func enter(_ phase: Phase, _ limit: Duration) {
        guard let loop else { return }
        self.phase = phase
        deadline = loop.now + TimeAmount(limit)
    }

    private func isOverdue(_ channel: any Channel) -> Bool {
        guard let loop else { return false }
        let now = loop.now
        if isStalled(unsentBytes(channel), now) { return true }
        // A client that still takes a response isn't idle, and one that can't be read from isn't slow.
        let isBusy = phase == .idle ? unsent > 0 : !channel.isWritable
        if isBusy, phase != .response { deadline = now + TimeAmount(limit(of: phase)) }
        return phase != .response && now >= deadline
    }

    /// Whether the client has taken too little of what is unsent for too long.
    private func isStalled(_ count: Int, _ now: NIODeadline) -> Bool {
        guard count > 0 else {
            unsent = 0
            return false
        }
        if unsent == 0 || count <= unsent - Self.leastTaken {
            unsent = count
            stallDeadline = now + TimeAmount(limits.stallTimeout)
        } else {
            // What is written meanwhile isn't progress of the client's.
            unsent = max(unsent, count)
        }
        return now >= stallDeadline
    }

    private func limit(of phase: Phase) -> Duration {
        switch phase {
        case .idle: limits.idleTimeout
        case .head: limits.headTimeout
        case .body: limits.bodyTimeout
        case .response: limits.stallTimeout
        }
    }
}
