import HTTPTypes
import MediaCache

/// A run of one rule.
struct OriginCheck: Sendable {
    let contract: OriginContract
    let rule: OriginContract.Rule

    var script: ScriptedOrigin { contract.script }

    /// The limit for waits that should end immediately.
    private var patience: Duration { contract.limit * 20 }

    func fail(_ detail: String) -> OriginContract.Violation { OriginContract.Violation(rule: rule, detail: detail) }

    func expect(_ condition: Bool, _ detail: @autoclosure () -> String) throws {
        guard condition else { throw fail(detail()) }
    }

    /// Scripts a resource and returns its URL.
    func serve(_ resource: ScriptedResource, at target: String = "/media.mp4") throws -> ResourceURL {
        let url = try contract.makeURL(target)
        script[url] = resource
        return url
    }

    func send(
        _ url: ResourceURL, _ fields: HTTPFields = [:], limits: TransferLimits = TransferLimits(),
        scope: AddressScope = .any
    ) async throws -> OriginResponse {
        try await contract.origin.send(
            OriginRequest(url: url, headerFields: fields, limits: limits, scope: scope))
    }

    func next(_ body: any OriginBody) async throws -> [UInt8]? {
        guard let buffer = try await body.next() else { return nil }
        let bytes = buffer.withUnsafeBytes { Array($0) }
        try expect(!bytes.isEmpty, "a buffer was empty")
        try expect(bytes.count == buffer.count, "a buffer of \(bytes.count) bytes has the count \(buffer.count)")
        return bytes
    }

    func readAll(_ body: any OriginBody) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let more = try await next(body) { bytes += more }
        return bytes
    }

    /// Runs `body`, which must throw a `CacheError` with the given code.
    func expectFailure(_ code: CacheError.Code, _ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as CacheError {
            try expect(error.code == code, "expected the code \(code.rawValue), got \(error.code.rawValue): \(error)")
            return
        } catch let violation as OriginContract.Violation {
            throw violation
        } catch {
            throw fail("expected a CacheError with the code \(code.rawValue), got \(error)")
        }
        throw fail("expected a CacheError with the code \(code.rawValue), got no error")
    }

    func bounded(_ what: String, _ body: @escaping @Sendable () async -> Void) async throws {
        let isDone = await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                await body()
                return true
            }
            group.addTask {
                try? await contract.time.sleep(for: patience)
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
        try expect(isDone, "timed out after \(patience) waiting for \(what)")
    }

    func waitForCancellation() async throws {
        try await bounded("the server to see the exchange closed") {
            await script.wait { requests in requests.first.map { $0.progress != .running } ?? false }
        }
        let progress = script.requests[0].progress
        try expect(progress == .cancelled, "the exchange should have been closed, but it is \(progress)")
    }
}
