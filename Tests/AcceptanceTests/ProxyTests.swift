import Foundation
import Testing

extension AcceptanceTests {
    /// Tests of the command with a proxy.
    @Suite(.enabled(if: try Peer.isInstalled("nginx")))
    struct ProxyTests {
        /// The server in place of the proxy accepts requests for any host. Without the proxy, the name of the origin
        /// couldn't be resolved.
        @Test func environmentDoesNotBypassProxy() async throws {
            _ = try await Fixtures.shared.random(Fixtures.medium)
            let proxy = try await NginxOrigin(serving: Fixtures.folder)
            let folder = try TemporaryFolder("cache")
            let child = try ChildProcess(
                MediaCacheBinary.path,
                ["get", "http://origin.invalid/\(Fixtures.medium)", "--proxy", "http://127.0.0.1:\(proxy.port)"]
                    + ["--cache", folder.path, "--min-free", "0"],
                environment: ["NO_PROXY": "*", "no_proxy": "*"])
            #expect(try await child.end(within: .seconds(60)) == .exit(0), "\(child.errorText)")
            #expect(try await proxy.log().bodyBytes == 100_000_000)
        }
    }
}
