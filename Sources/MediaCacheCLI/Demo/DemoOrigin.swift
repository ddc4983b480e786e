import Foundation
import MediaCacheAPI
import MediaCacheServer
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// The demo's origin: a small HTTP server on a loopback port that has one clip, sends it slowly, and counts what it
/// sent.
final class DemoOrigin: Sendable {
    /// What the origin has done since it was started.
    typealias Counts = DemoOriginState.Counts

    /// The port it listens on.
    let port: Int

    private let state: DemoOriginState
    private let channel: any Channel

    private init(port: Int, state: DemoOriginState, channel: any Channel) {
        self.port = port
        self.state = state
        self.channel = channel
    }

    /// The clip's URL. It has to be the same in each start, else nothing that is kept would be found again.
    var clipURL: String { "http://127.0.0.1:\(port)\(DemoOriginState.clipPath)" }

    /// The clip's length in bytes.
    var clipLength: Int64 { Int64(state.clip.readableBytes) }

    /// What has been sent so far.
    var counts: Counts { state.counts.withLock { $0 } }

    /// Starts it.
    ///
    /// - Parameters:
    ///   - port: the port on 127.0.0.1; 0 picks a free one.
    ///   - clip: the clip's bytes.
    ///   - bytesPerSecond: what all responses together may send.
    /// - Throws: ``CommandFailure``, naming the port.
    static func start(port: Int, clip: ByteBuffer, bytesPerSecond: Int64) async throws -> DemoOrigin {
        // One loop for all connections: they share the rate, and the loop is where it's shared.
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
                    + "--origin-port takes another port"
            )
        }
        return DemoOrigin(port: channel.localAddress?.port ?? port, state: state, channel: channel)
    }

    /// Stops listening. Connections that are open end with the process.
    func stop() async {
        try? await channel.close()
    }
}
