import MediaCache
import MediaCacheAPI
import MediaCacheServer
import MediaLibrary
import Testing

@testable import MediaCacheCLI

struct CommandFailureTests {
    @Test func usesMessagesOfEngineErrors() {
        let failure = CommandFailure(CacheError(.unreachable, "h refuses connections"))
        #expect(failure == CommandFailure(.failed, "h refuses connections"))
    }

    @Test func cancellationIsReportedAsInterruption() {
        #expect(CommandFailure(CancellationError())?.exitCode == 130)
        #expect(CommandFailure(CacheError(.cancelled, "cancelled"))?.exitCode == 130)
    }

    @Test func addsOptionToMissingParts() {
        let failure = CommandFailure(MediaJobError(.missingParts, "news has 1 missing part"))
        #expect(failure?.message == "news has 1 missing part; use --gaps to leave gaps instead")
    }

    @Test func usesDetailOfAPIProblems() {
        let problem = Problem(title: "Not found", status: 404, detail: "x isn't cached", code: "notFound")
        #expect(CommandFailure(problem) == CommandFailure(.failed, "x isn't cached"))
    }

    @Test func messageIsOneLine() {
        #expect(CommandFailure(.failed, "a\nb\u{1B}[0m\tc").line == "mediacache: a b?[0m c")
    }
}
