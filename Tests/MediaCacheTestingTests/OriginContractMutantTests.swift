import HTTPTypes
import MediaCache
import MediaCacheTesting
import Synchronization
import Testing

/// Tests that rules of the contract detect origins that violate them.
@Suite(.timeLimit(.minutes(30)))
struct OriginContractMutantTests {
    /// An origin whose requests and responses are modified.
    private struct Mutant: Origin {
        var base: ScriptedOrigin
        var request: @Sendable (inout OriginRequest) -> Void = { _ in }
        var response: @Sendable (inout OriginResponse) -> Void = { _ in }

        func send(_ request: OriginRequest) async throws -> OriginResponse {
            var request = request
            self.request(&request)
            var response = try await base.send(request)
            self.response(&response)
            return response
        }
    }

    /// A body whose buffers, errors or cancellation are modified.
    private final class MutantBody: OriginBody {
        let base: any OriginBody
        let buffer: @Sendable ([UInt8]) -> [UInt8]
        let hidesErrors: Bool
        let readsAll: Bool
        let ignoresCancellation: Bool

        init(
            _ base: any OriginBody, hidesErrors: Bool = false, readsAll: Bool = false,
            ignoresCancellation: Bool = false, buffer: @escaping @Sendable ([UInt8]) -> [UInt8] = { $0 }
        ) {
            (self.base, self.buffer) = (base, buffer)
            (self.hidesErrors, self.readsAll, self.ignoresCancellation) = (hidesErrors, readsAll, ignoresCancellation)
        }

        func next() async throws -> (any OriginBuffer)? {
            do {
                var bytes: [UInt8]?
                repeat {
                    guard let next = try await base.next() else { break }
                    bytes = (bytes ?? []) + next.withUnsafeBytes { Array($0) }
                } while readsAll && (bytes?.count ?? 0) < 20 << 20
                return bytes.map(buffer)
            } catch  where hidesErrors {
                return nil
            }
        }

        func cancel() {
            if !ignoresCancellation { base.cancel() }
        }
    }

    private func violates(
        _ rule: OriginContract.Rule, allowing allowances: Set<OriginContract.Allowance> = [],
        time: (any TimeSource)? = SystemTime(), _ make: (inout Mutant) -> Void
    ) async throws -> Bool {
        let script = ScriptedOrigin(time: time)
        var mutant = Mutant(base: script)
        make(&mutant)
        let contract = OriginContract(
            mutant, script: script, limit: .milliseconds(100), maximumBuffered: 4 << 20, allowing: allowances
        ) { target in
            try ResourceURL(scheme: "https", authority: "media.example", target: target)
        }
        do {
            try await contract.check(rule)
            return false
        } catch is OriginContract.Violation {
            return true
        }
    }

    @Test func detectsWrongBytes() async throws {
        for rule in [OriginContract.Rule.returnsHeadAndBody, .readsRanges, .preservesContentCoding] {
            #expect(
                try await violates(rule) { mutant in
                    mutant.response = { response in
                        response.body = MutantBody(response.body) { bytes in
                            var bytes = bytes
                            bytes[bytes.count / 2] ^= 1
                            return bytes
                        }
                    }
                })
        }
    }

    @Test func detectsChangedRequests() async throws {
        #expect(try await violates(.sendsUnchangedRequest) { $0.request = { $0.headerFields[.cookie] = nil } })
        #expect(try await violates(.sendsUnchangedRequest) { $0.request = { $0.headerFields[.priority] = "u=1" } })
        #expect(try await violates(.readsRanges) { $0.request = { $0.headerFields[.range] = nil } })
    }

    /// Returns a modification that replaces `text` in request targets, unless the result is invalid.
    private func changing(_ text: String, to changed: String) -> (inout Mutant) -> Void {
        { mutant in
            mutant.request = { request in
                let target = request.url.target.replacing(text, with: changed)
                let url = try? ResourceURL(
                    scheme: request.url.scheme, authority: request.url.authority, target: target)
                request.url = url ?? request.url
            }
        }
    }

    @Test(arguments: [
        ("|", "%7C"), ("%2F", "/"), ("/..", ""), ("//", "/"), ("%zz", "%25zz"), ("[", "%5B"), ("+", "%20"),
    ])
    func detectsChangedTargets(_ text: String, _ changed: String) async throws {
        #expect(try await violates(.sendsUnchangedRequest, changing(text, to: changed)))
    }

    @Test(arguments: [("%2F", "/"), ("/..", ""), ("//", "/"), ("%zz", "%25zz"), ("|", "!"), ("+", "%20")])
    func detectsChangedTargetsDespiteAllowedEncoding(_ text: String, _ changed: String) async throws {
        #expect(try await violates(.sendsUnchangedRequest, allowing: [.encodesTargets], changing(text, to: changed)))
    }

    @Test(arguments: [[], [OriginContract.Allowance.decodesContent]])
    func detectsMissingContentEncodingField(_ allowances: [OriginContract.Allowance]) async throws {
        #expect(
            try await violates(.preservesContentCoding, allowing: Set(allowances)) {
                $0.response = { $0.headerFields[.contentEncoding] = nil }
            })
    }

    @Test func permitsDecodingOnlyIfAllowed() async throws {
        for allowances in [[], [OriginContract.Allowance.decodesContent]] {
            let isCaught = try await violates(.preservesContentCoding, allowing: Set(allowances)) { mutant in
                mutant.response = { response in
                    guard response.status == 200 else { return }
                    response.headerFields[.contentEncoding] = nil
                    response.headerFields[.contentLength] = nil
                    response.body = MutantBody(response.body) { _ in Array("the decoded body".utf8) }
                }
            }
            #expect(isCaught == allowances.isEmpty)
        }
    }

    @Test func detectsHiddenErrors() async throws {
        for rule in [
            OriginContract.Rule.reportsTruncation, .reportsResets, .limitsStalls, .closesCancelledRead,
        ] {
            #expect(try await violates(rule) { $0.response = { $0.body = MutantBody($0.body, hidesErrors: true) } })
        }
    }

    @Test func detectsIgnoredCancellation() async throws {
        #expect(
            try await violates(.closesCancelledBody) { mutant in
                mutant.response = { $0.body = MutantBody($0.body, ignoresCancellation: true) }
            })
    }

    @Test func detectsMissingBackPressure() async throws {
        #expect(
            try await violates(.limitsBuffering) {
                $0.response = { $0.body = MutantBody($0.body, readsAll: true) { Array($0[..<1]) } }
            })
    }

    @Test func detectsWrongAddresses() async throws {
        #expect(try await violates(.refusesLocalAddresses) { $0.request = { $0.scope = .any } })
        #expect(try await violates(.reportsPeer) { $0.response = { $0.peer = .global } })
    }

    @Test func detectsChangedStatuses() async throws {
        #expect(try await violates(.returnsErrorStatuses) { $0.response = { $0.status = 200 } })
        #expect(try await violates(.returnsRedirects) { $0.response = { $0.status = 200 } })
    }
}
