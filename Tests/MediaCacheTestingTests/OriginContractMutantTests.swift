import HTTPTypes
import MediaCache
import MediaCacheTesting
import Synchronization
import Testing

/// The contract's rules must catch origins that break them.
@Suite(.timeLimit(.minutes(30)))
struct OriginContractMutantTests {
    /// An origin that is right but for what is done to its requests, responses and buffers.
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

    /// A body that is right but for what is done to its buffers, its errors, or its cancellation.
    private final class MutantBody: OriginBody {
        let base: any OriginBody
        let buffer: @Sendable ([UInt8]) -> [UInt8]
        let hidesErrors: Bool
        let readsAll: Bool
        let isDeaf: Bool

        init(
            _ base: any OriginBody, hidesErrors: Bool = false, readsAll: Bool = false, isDeaf: Bool = false,
            buffer: @escaping @Sendable ([UInt8]) -> [UInt8] = { $0 }
        ) {
            self.base = base
            self.buffer = buffer
            self.hidesErrors = hidesErrors
            self.readsAll = readsAll
            self.isDeaf = isDeaf
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
            if !isDeaf { base.cancel() }
        }
    }

    private func breaks(
        _ rule: OriginContract.Rule, allowing allowances: Set<OriginContract.Allowance> = [],
        time: (any TimeSource)? = SystemTime(), _ make: (inout Mutant) -> Void
    ) async throws -> Bool {
        let script = ScriptedOrigin(time: time)
        var mutant = Mutant(base: script)
        make(&mutant)
        let contract = OriginContract(
            mutant, script: script, limit: .milliseconds(100), heldBytes: 4 << 20, allowing: allowances
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

    @Test func wrongBytesAreCaught() async throws {
        for rule in [OriginContract.Rule.handsOverHeadAndBody, .readsRanges, .decodesNothing] {
            #expect(
                try await breaks(rule) { mutant in
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

    @Test func changedRequestsAreCaught() async throws {
        #expect(try await breaks(.sendsTheRequestAsItIs) { $0.request = { $0.headerFields[.cookie] = nil } })
        #expect(try await breaks(.sendsTheRequestAsItIs) { $0.request = { $0.headerFields[.priority] = "u=1" } })
        #expect(try await breaks(.readsRanges) { $0.request = { $0.headerFields[.range] = nil } })
    }

    /// An origin that is right but for a target that it changes.
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
    func changedTargetsAreCaught(_ text: String, _ changed: String) async throws {
        #expect(try await breaks(.sendsTheRequestAsItIs, changing(text, to: changed)))
    }

    @Test(arguments: [("%2F", "/"), ("/..", ""), ("//", "/"), ("%zz", "%25zz"), ("|", "!"), ("+", "%20")])
    func changedTargetsAreCaughtWhereTheyMayBeEncoded(_ text: String, _ changed: String) async throws {
        #expect(try await breaks(.sendsTheRequestAsItIs, allowing: [.encodesTargets], changing(text, to: changed)))
    }

    @Test(arguments: [[], [OriginContract.Allowance.decodesContent]])
    func aCodingThatIsOnlySaidToBeOffIsCaught(_ allowances: [OriginContract.Allowance]) async throws {
        #expect(
            try await breaks(.decodesNothing, allowing: Set(allowances)) {
                $0.response = { $0.headerFields[.contentEncoding] = nil }
            })
    }

    /// What decodes rightly breaks the rule all the same, unless it's allowed to.
    @Test func decodingIsForThoseWhoMayAlone() async throws {
        for allowances in [[], [OriginContract.Allowance.decodesContent]] {
            let isCaught = try await breaks(.decodesNothing, allowing: Set(allowances)) { mutant in
                mutant.response = { response in
                    guard response.status == 200 else { return }
                    response.headerFields[.contentEncoding] = nil
                    response.headerFields[.contentLength] = nil
                    response.body = MutantBody(response.body) { _ in Array("what a body says".utf8) }
                }
            }
            #expect(isCaught == allowances.isEmpty)
        }
    }

    @Test func hiddenErrorsAreCaught() async throws {
        for rule in [
            OriginContract.Rule.reportsTruncation, .reportsResets, .limitsStalls, .closesWhenReadingIsCancelled,
        ] {
            #expect(try await breaks(rule) { $0.response = { $0.body = MutantBody($0.body, hidesErrors: true) } })
        }
    }

    @Test func deafBodiesAreCaught() async throws {
        #expect(
            try await breaks(.closesWhenTheBodyIsCancelled) { mutant in
                mutant.response = { $0.body = MutantBody($0.body, isDeaf: true) }
            })
    }

    @Test func eagerReadersAreCaught() async throws {
        #expect(
            try await breaks(.holdsLittle) {
                $0.response = { $0.body = MutantBody($0.body, readsAll: true) { Array($0[..<1]) } }
            })
    }

    @Test func wrongAddressesAreCaught() async throws {
        #expect(try await breaks(.refusesLocalAddresses) { $0.request = { $0.scope = .any } })
        #expect(try await breaks(.tellsThePeer) { $0.response = { $0.peer = .global } })
    }

    @Test func changedStatusesAreCaught() async throws {
        #expect(try await breaks(.handsErrorStatusBack) { $0.response = { $0.status = 200 } })
        #expect(try await breaks(.followsNoRedirect) { $0.response = { $0.status = 200 } })
    }
}
