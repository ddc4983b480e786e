import MediaCache
import Testing

@testable import MediaCacheServer

struct ProblemTests {
    private struct Surprise: Error {}

    /// Only what should not happen is: the log tells of nothing else.
    @Test func aClientThatLeavesIsNoInternalError() {
        let left = Problem(CancellationError())
        #expect(left.code == CacheError.Code.cancelled.rawValue)
        #expect(left.status == 503)
        #expect(Problem(Surprise()).code == Problem.internalCode)
    }

    @Test func aStorageErrorSaysWhatTheSystemSaid() {
        let error = CacheError(.storage, "the folder can't be written", cause: Surprise())
        #expect(Problem(error).detail.contains("Surprise"))
        #expect(!Problem(CacheError(.unreachable, "no answer", cause: Surprise())).detail.contains("Surprise"))
    }
}
