import Foundation
import MediaCacheAPI
import MediaCacheServer
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// The demo's origin: an HTTP server on a loopback port that sends one clip slowly and counts the bytes.
final class DemoOrigin: Sendable {
    typealias Counts = DemoOriginState.Counts

    let port: Int

    private let state: DemoOriginState
    private let channel: any Channel

    private init(port: Int, state: DemoOriginState, channel: any Channel) {
        self.port = port
        self.state = state
        self.channel = channel
    }

    var clipURL: String { "http://127.0.0.1:\(port)\(DemoOriginState.clipPath)" }

    var clipLength: Int64 { Int64(state.clip.readableBytes) }

    var counts: Counts { state.counts.withLock { $0 } }

    /// Starts the server on a port of 127.0.0.1; 0 picks a free one. All responses share the rate.
    static func start(port: Int, clip: ByteBuffer, bytesPerSecond: Int64) async throws -> DemoOrigin {
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let state = DemoOriginState(clip: clip, bytesPerSecond: bytesPerSecond)
        let bootstrap = ServerBootstrap(group: loop)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: true)
                    try channel.pipeline.syncOperations.addHandler(DemoOriginHandler(state: state))
                }
            }
        let channel: any Channel
        do {
            channel = try await bootstrap.bind(host: "127.0.0.1", port: port).get()
        } catch {
            throw CommandFailure(
                .failed,
                "the demo's origin can't listen on 127.0.0.1:\(port): \(BindFailure.reason(error)); "
                    + "use another port with --origin-port"
            )
        }
        return DemoOrigin(port: channel.localAddress?.port ?? port, state: state, channel: channel)
    }

    /// Stops listening. Open connections remain until the process exits.
    func stop() async {
        try? await channel.close()
    }
}
