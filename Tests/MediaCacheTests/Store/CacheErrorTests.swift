import Foundation
import MediaCache
import Testing

/// Tests of a `CacheError` as an `NSError`, as players and their delegates receive it.
struct CacheErrorTests {
    @Test func messageIsLocalizedDescription() {
        let cause = CacheError(.timedOut, "a.example didn't respond within 10.0 seconds")
        let error: any Error = CacheError(.unreachable, "a.example can't be reached; check the network", cause: cause)
        #expect(error.localizedDescription == "a.example can't be reached; check the network")
        #expect((error as? any LocalizedError)?.failureReason == "a.example didn't respond within 10.0 seconds")
        #expect("\(error)" == "a.example can't be reached; check the network (\(cause.message))")
    }

    @Test func userInformationContainsMessageCodeAndCause() throws {
        let cause = CacheError(.timedOut, "no response")
        let information = CacheError(.originStatus, "404 of the origin", cause: cause, status: 404).errorUserInfo
        #expect(information[NSLocalizedDescriptionKey] as? String == "404 of the origin")
        #expect(information["MediaCacheErrorCode"] as? String == "originStatus")
        #expect((information[NSUnderlyingErrorKey] as? CacheError)?.code == .timedOut)
        #expect(CacheError(.closed, "closed").errorUserInfo[NSUnderlyingErrorKey] == nil)
        #expect(CacheError.errorDomain == "MediaCache.CacheError")
    }

    /// Apps and their logs compare numbers, so these are part of the interface.
    @Test func codesHaveFixedNumbers() {
        let numbers = CacheError.Code.allCases.map { CacheError($0, "").errorCode }
        #expect(numbers == Array(1...17))
        #expect(CacheError(.unreachable, "").errorCode == 4 && CacheError(.damaged, "").errorCode == 17)
    }
}
