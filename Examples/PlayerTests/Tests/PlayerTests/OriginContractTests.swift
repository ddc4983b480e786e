import MediaCacheTesting
import MediaCacheURLSession
import Testing

/// The rules of origins, tested with Apple's `URLSession`. They include `limitsBuffering`, which FoundationNetworking
/// can't meet.
@Suite(.timeLimit(.minutes(2)))
struct OriginContractTests {
    @Test(arguments: OriginContract.Rule.allCases)
    func meetsContract(_ rule: OriginContract.Rule) async throws {
        let server = try ScriptedOriginServer()
        let origin = URLSessionOrigin()
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
