import MediaCache
import MediaCacheTesting
import MediaCacheURLSession
import Testing

/// `URLSession` held to the contract that every origin keeps.
@Suite(.timeLimit(.minutes(2)))
struct URLSessionOriginContractTests {
    /// FoundationNetworking can't pause a transfer; `URLSessionOriginTests` has what is held there all the same.
    #if canImport(Darwin)
        private static let rules = OriginContract.Rule.allCases
    #else
        private static let rules = OriginContract.Rule.allCases.filter { $0 != .holdsLittle }
    #endif

    @Test(arguments: rules)
    func urlSessionOriginKeepsTheContract(_ rule: OriginContract.Rule) async throws {
        let server = try ScriptedOriginServer()
        let origin = URLSessionOrigin()
        // Time as it is, on a machine whose cores other tests hold for a second now and then.
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
