import Foundation
import MediaCacheAPI
import MediaCacheServer
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// The demo's origin: an HTTP server on a loopback port that sends one clip slowly and counts the bytes.
final class DemoOrigin: Sendable {
    /// The counts since the start.
    typealias Counts = DemoOriginState.Counts

    /// The port that the server listens on.
    let port: Int

    private let state: DemoOriginState
    private let channel: any Channel

    private init(port: Int, state: DemoOriginState, channel: any Channel) {
        self.port = port
        self.state = state
        self.channel = channel
    }

    /// The clip's URL. It's the same after a restart, so that cached data is reused.
    var clipURL: String { "http://127.0.0.1:\(port)\(DemoOriginState.clipPath)" }

    /// The clip's length in bytes.
    var clipLength: Int64 { Int64(state.clip.readableBytes) }

    /// The counts since the start.
    var counts: Counts { state.counts.withLock { $0 } }

    /// Starts the server.
    ///
    /// - Parameters:
    ///   - port: The port on 127.0.0.1; 0 picks a free one.
    ///   - clip: The bytes of the clip.
    ///   - bytesPerSecond: The combined rate of all responses.
    /// - Throws: ``CommandFailure`` if the port isn't available.
    static func start(port: Int, clip: ByteBuffer, bytesPerSecond: Int64) async throws -> DemoOrigin {
        // All connections run on one event loop and share the rate.
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
