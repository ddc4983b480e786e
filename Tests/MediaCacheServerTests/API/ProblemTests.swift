import Foundation
import MediaCache
import MediaCacheAPI
import Testing

@testable import MediaCacheServer

struct ProblemTests {
    private struct UnexpectedFailure: Error {}

    /// Only unexpected errors have the code of internal errors, which are logged.
    @Test func reportsDisconnectedClientAsCancelled() {
        let left = Problem(CancellationError())
        #expect(left.code == CacheError.Code.cancelled.rawValue && left.status == 503)
        #expect(Problem(UnexpectedFailure()).code == Problem.internalCode)
    }

    @Test func includesSystemErrorOfStorage() {
        let error = CacheError(.storage, "the folder can't be written", cause: UnexpectedFailure())
        #expect(Problem(error).detail.contains("UnexpectedFailure"))
        #expect(
            !Problem(CacheError(.unreachable, "no answer", cause: UnexpectedFailure())).detail.contains(
                "UnexpectedFailure"))
    }

    @Test func distinguishesStorageErrors() {
        func problem(_ number: Int32, _ code: CacheError.Code = .storage) -> Problem {
            let cause = SystemError(call: "pwrite", path: "/cache/1", number: number)
            return Problem(CacheError(code, "1 can't be written", cause: cause))
        }
        for number in [ENOSPC, EDQUOT] {
            #expect(problem(number).status == 507 && problem(number).title == "No space left on the disk")
        }
        #expect(problem(EIO).status == 500 && problem(EIO).title == "Storage failure")
        #expect(problem(EIO, .damaged).title == "The cache is damaged")
        #expect(problem(EIO, .newerFormat).title == "The cache folder has a newer format")
    }

    @Test(
        arguments: [
            (.unreachable, nil, true), (.originStatus, 503, true), (.originStatus, 429, true),
            (.originStatus, 401, false), (.notMedia, nil, true), (.forbiddenAddress, nil, false),
            (.notFound, nil, false), (.storage, nil, true), (.damaged, nil, false),
            // Another process of the server may receive the next request, or the next version is read.
            (.closed, nil, true), (.cancelled, nil, true), (.representationChanged, nil, true),
        ] as [(CacheError.Code, Int?, Bool)])
    func reportsWhetherRequestMaySucceedLater(_ code: CacheError.Code, _ status: Int?, _ isRetryable: Bool) {
        let problem = Problem(CacheError(code, "it failed", status: status))
        #expect(problem.retryable == isRetryable && problem.originStatus == status)
        #expect(String(decoding: problem.json, as: UTF8.self).contains("\"retryable\":\(isRetryable)"))
    }

    @Test func errorsByRuleAreNotRetryable() {
        var error = CacheError(.badResponse, "it is compressed")
        #expect(Problem(error).retryable == true)
        error.isByRule = true
        #expect(Problem(error).retryable == false)
        error.code = .storage
        #expect(Problem(error).retryable == false)
    }

    @Test func statusIndicatesWhetherErrorOfServerIsRetryable() {
        #expect(Problem(UnexpectedFailure()).retryable == nil && Problem.busy.retryable == nil)
        #expect(!String(decoding: Problem.busy.json, as: UTF8.self).contains("retryable"))
    }

    @Test(arguments: [
        ("connection refused by http://u:p@10.0.0.1:80/a?b=c, try again", "connection refused by its URL try again"),
        ("“https://a.example/x” isn't media", "“its URL” isn't media"),
        ("x+y-z.1://host and HTTP://B", "its URL and its URL"), ("://nothing", "its URL"), ("a: //b", "a: //b"),
        ("no URL", "no URL"), ("", ""),
    ])
    func removesURLsForClientsWithoutKey(_ detail: String, _ expected: String) {
        #expect(Problem(title: "t", status: 502, detail: detail, code: "c").withoutURLs.detail == expected)
    }

    /// A quadratic search would take minutes.
    @Test(.timeLimit(.minutes(30)))
    func removesURLsInLinearTime() {
        let problem = Problem(title: "t", status: 400, detail: String(repeating: "a", count: 1 << 20), code: "c")
        #expect(problem.withoutURLs.detail.count == 1024)
    }

    /// The description contains no Swift terms.
    @Test(arguments: [
        ("{", "it isn't valid JSON"), ("[]", "it isn't an object"), ("{}", "“url” is missing"),
        (#"{"url": 1}"#, "“url” isn't a string"),
        (#"{"url": "a", "priority": "high"}"#, "“priority” isn't an integer in the valid range"),
        (#"{"url": "a", "headers": {"X": 1}}"#, "“headers.X” isn't a string"),
    ])
    func describesInvalidBody(_ body: String, _ words: String) throws {
        let error = #expect(throws: DecodingError.self) {
            try APICoding.makeDecoder().decode(DownloadAddition.self, from: Data(body.utf8))
        }
        let problem = Problem(try #require(error))
        #expect(problem.detail == "the request body isn't valid for this path: \(words)")
        #expect(problem.status == 400 && problem.code == "badRequest")
    }

    @Test func errorContainsFieldWithInvalidValue() throws {
        let error = #expect(throws: DecodingError.self) {
            try APICoding.makeDecoder().decode(DownloadUpdate.self, from: Data(#"{"state": "flying"}"#.utf8))
        }
        let detail = Problem(try #require(error)).detail
        #expect(detail.contains("“state”") && !detail.contains("Context"))
    }

    @Test(arguments: [
        (#""tomorrow""#, "“expires” has an invalid value"), ("5", "“expires” isn't a string"),
    ])
    func errorContainsFieldWithInvalidDate(_ value: String, _ words: String) throws {
        let error = #expect(throws: DecodingError.self) {
            let body = #"{"scope": "playback", "expires": \#(value)}"#
            return try APICoding.makeDecoder().decode(TokenAddition.self, from: Data(body.utf8))
        }
        #expect(Problem(try #require(error)).detail.contains(words))
    }
}
