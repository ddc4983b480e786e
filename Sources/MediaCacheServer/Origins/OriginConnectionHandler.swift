import MediaCache
import NIOCore
import NIOHTTP1

/// The handler between the HTTP codec and the client's own handler on each connection. It sends the withheld request
/// with its exact target, which the client would normalize through `Foundation.URL`, and marks the head of each
/// response with the kind of the connection's address.
final class OriginConnectionHandler: ChannelDuplexHandler {
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    /// The field that carries the kind of address from this handler to the exchange. An origin's field of this name is
    /// dropped.
    static let peerField = "mediacache-peer"

    /// An error: the head of a placeholder couldn't be replaced by its request.
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

    /// Returns the kind of address with which `headers` were marked.
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
