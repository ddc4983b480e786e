import MediaCache
import MediaCacheTesting
import MediaCacheURLSession
import Testing

@Suite(.timeLimit(.minutes(30)))
struct URLSessionOriginContractTests {
    /// The tested rules. FoundationNetworking can't pause a transfer; `URLSessionOriginTests` tests the memory limit
    /// that replaces pausing.
    #if canImport(Darwin)
        private static let rules = OriginContract.Rule.allCases
    #else
        private static let rules = OriginContract.Rule.allCases.filter { $0 != .limitsBuffering }
    #endif

    @Test(arguments: rules)
    func meetsContract(_ rule: OriginContract.Rule) async throws {
        let server = try ScriptedOriginServer()
        let origin = URLSessionOrigin()
        // The limit is long because it is in real time, and other tests may occupy all cores for a second.
        let contract = OriginContract(
            origin, script: server.origin, limit: .seconds(4), allowing: [.encodesTargets, .decodesContent]
        ) { try server.url($0) }
        do {
            try await contract.check(rule)
        } catch {
            Issue.record(error)
        }
        origin.shutdown()
        server.stop()
    }
}
