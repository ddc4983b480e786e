import NIOCore
import NIOPosix
import NIOSSL

/// A server that sends the same response to every request over TLS.
final class TLSServer: Sendable {
    private final class Answer: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let text = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret"
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
        }
    }

    let port: Int
    private let channel: any Channel

    init() async throws {
        let certificates = try NIOSSLCertificate.fromPEMBytes(Array(TLSFixture.certificate.utf8))
        let context = try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: certificates.map { .certificate($0) },
                privateKey: .privateKey(NIOSSLPrivateKey(bytes: Array(TLSFixture.key.utf8), format: .pem))
            ))
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers([NIOSSLServerHandler(context: context), Answer()])
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    func stop() async throws {
        try await channel.close()
    }
}
