import Foundation
import TestSupport
import Testing

extension AcceptanceTests {
    /// Tests of the command with a proxy.
    @Suite(.enabled(if: try Peer.isInstalled("nginx")))
    struct ProxyTests {
        @Test func environmentDoesNotBypassProxy() async throws {
            _ = try await Fixtures.shared.random(Fixtures.medium)
            let server = try await NginxOrigin(serving: Fixtures.folder)
            let folder = try TemporaryFolder("cache")
            let refusing = try RefusingPort()
            defer { refusing.close() }
            let proxy = "http://127.0.0.1:\(refusing.number)"
            let child = try ChildProcess(
                MediaCacheBinary.path,
                ["get", server.url(Fixtures.medium).absoluteString, "--proxy", proxy]
                    + ["--cache", folder.path, "--min-free", "0"],
                environment: ["NO_PROXY": "*", "no_proxy": "*"])
            #expect(try await child.end(within: .seconds(60)) == .exit(1))
            #expect(child.errorText.contains("upstream proxy"), "\(child.errorText)")
            #expect(try await server.log().bodyBytes == 0)
        }
    }
}
