import MediaCacheServer
import Testing

@testable import MediaCacheCLI

struct GetJobTests {
    private func failure(bytes: Int64, of length: Int64?) -> CommandFailure {
        let error = GetStatus.Failure(code: "notMedia", message: "it's a playlist")
        return GetJob.failure(
            GetStatus(id: "1", url: "http://h/x", state: .failed, bytes: bytes, length: length, error: error))
    }

    @Test func whoHasAPartIsToldHowToGoOn() {
        #expect(failure(bytes: 500, of: 1000).line?.hasSuffix("the same command goes on from there") == true)
        #expect(failure(bytes: 500, of: nil).line?.hasSuffix("the same command goes on from there") == true)
    }

    @Test(arguments: [(0, nil), (0, 1000), (1000, 1000)] as [(Int64, Int64?)])
    func whereGoingOnWouldNotHelpItIsNotSaid(_ bytes: Int64, _ length: Int64?) {
        #expect(failure(bytes: bytes, of: length).line == "mediacache: it's a playlist")
    }
}
