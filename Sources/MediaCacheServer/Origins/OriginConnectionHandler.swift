import MediaCache
import NIOCore
import NIOHTTP1

/// Stands between the HTTP codec and the client's own handler on each connection, for two things the client can't do:
/// it puts the withheld request on the wire, with its target byte for byte (the client would normalise it by
/// `Foundation.URL`), and it marks each response's head with the kind of address the connection leads to.
final class OriginConnectionHandler: ChannelDuplexHandler {
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    /// Carries the kind of address from this handler to the exchange. An origin's own field of this name is dropped.
    static let peerField = "mediacache-peer"

    /// The head couldn't be exchanged for the request that it stands for.
    struct MissingRequest: Error {}

    private let peer: AddressKind
    private let withheld: WithheldRequests

    init(peer: AddressKind, withheld: WithheldRequests) {
        self.peer = peer
        self.withheld = withheld
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(let placeholder) = unwrapOutboundIn(data) else {
            context.write(data, promise: promise)
            return
        }
        guard let head = withheld.take(for: placeholder) else {
            promise?.fail(MissingRequest())
            context.fireErrorCaught(MissingRequest())
            context.close(promise: nil)
            return
        }
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data) else {
            context.fireChannelRead(data)
            return
        }
        head.headers.replaceOrAdd(name: Self.peerField, value: Self.mark(peer))
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    /// The kind of address that `headers` were marked with.
    static func peer(of headers: HTTPHeaders) -> AddressKind {
        let mark = headers.first(name: peerField)
        return [AddressKind.global, .local].first { Self.mark($0) == mark } ?? .unknown
    }

    private static func mark(_ kind: AddressKind) -> String {
        switch kind {
        case .global: "global"
        case .local: "local"
        case .unknown: "unknown"
        }
    }
}
