import MediaCache
import MediaCacheTesting
import Testing

extension RetryPolicy {
    /// Returns a policy that retries without delay, so that tests needn't advance the clock.
    static func atOnce(_ budget: Int) -> RetryPolicy { RetryPolicy(budget: budget, initialDelay: .zero) }
}

extension EngineFixture {
    /// Expects that the cached bytes match `body` without the origin, and that the resource can be completed after the
    /// origin's faults have been removed.
    func expectCorrectBytes(
        of body: ScriptedBody, in store: CacheStore, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        // A read-ahead that met the fault may still be running. A reader that joined it would fail with it.
        await store.settled(sourceLocation: sourceLocation) { $0.statistics.runningFills == 0 }
        #expect(try await store.verify().findings.isEmpty, sourceLocation: sourceLocation)
        origin.isReachable = false
        if let info = try await store.resource(for: url) {
            for span in info.spans {
                let bytes = try await store.bytes(url, .closed(span.lowerBound, through: span.upperBound - 1))
                #expect(
                    body.matches(bytes, at: span.lowerBound), "wrong bytes in \(span)", sourceLocation: sourceLocation)
                #expect(bytes.count == span.count, sourceLocation: sourceLocation)
            }
        }
        origin.isReachable = true
        origin.clearFaults(url)
        #expect(try await store.bytes(url) == body.bytes, sourceLocation: sourceLocation)
        #expect(try await store.resource(for: url)?.isComplete == true, sourceLocation: sourceLocation)
        #expect(try await store.verify().findings.isEmpty, sourceLocation: sourceLocation)
    }

    /// Expects reading to fail with `code`, and the bytes received before to match `body`. Waits for the end of all
    /// fills.
    func expectFailure(
        _ store: CacheStore, _ range: RequestedRange = .all, of body: ScriptedBody, code: CacheError.Code,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        var position = range.knownStart ?? 0
        do {
            let session = try await store.read(ReadRequest(url: url, range: range))
            defer { session.cancel() }
            position = session.range.lowerBound
            for try await buffer in session.buffers {
                #expect(body.matches(buffer, at: position), sourceLocation: sourceLocation)
                position += Int64(buffer.count)
            }
            Issue.record("reading ended at \(position) without an error", sourceLocation: sourceLocation)
        } catch let error as CacheError {
            #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
        }
        // The test may remove the fault next, while a read-ahead that met it is still running.
        await store.settled(sourceLocation: sourceLocation) { $0.statistics.runningFills == 0 }
    }
}

/// Expects `body` to throw a ``CacheError`` with `code`, and returns it.
@discardableResult
func expectError<Result>(
    _ code: CacheError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Result
) async -> CacheError? {
    do {
        _ = try await body()
        Issue.record("no error was thrown", sourceLocation: sourceLocation)
        return nil
    } catch {
        #expect((error as? CacheError)?.code == code, "\(error)", sourceLocation: sourceLocation)
        return error as? CacheError
    }
}
