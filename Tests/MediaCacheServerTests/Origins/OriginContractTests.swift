import MediaCache
import MediaCacheCurl
import MediaCacheTesting
import Testing

@Suite(.timeLimit(.minutes(30)))
struct OriginContractTests {
    /// The limit is long because it is in real time, and other tests may occupy all cores for a second.
    private static let limit = Duration.seconds(4)

    @Test(arguments: OriginContract.Rule.allCases)
    func scriptedOriginMeetsContract(_ rule: OriginContract.Rule) async throws {
        let script = ScriptedOrigin(time: SystemTime())
        let contract = OriginContract(script, script: script, limit: Self.limit) { target in
            try ResourceURL(scheme: "https", authority: "media.example", target: target)
        }
        try await contract.check(rule)
    }

    @Test(arguments: OriginContract.Rule.allCases)
    func curlOriginMeetsContract(_ rule: OriginContract.Rule) async throws {
        let server = try ScriptedOriginServer()
        let origin = CurlOrigin()
        let contract = OriginContract(origin, script: server.origin, limit: Self.limit) { try server.url($0) }
        do {
            try await contract.check(rule)
        } catch {
            Issue.record(error)
        }
        await origin.shutdown()
        server.stop()
    }
}
