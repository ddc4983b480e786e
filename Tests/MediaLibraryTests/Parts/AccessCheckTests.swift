import MediaCache
import MediaCacheTesting
import Testing

@testable import MediaLibrary

/// Tests of access checks while another reader caches bytes from a local address, between the first check and the read.
@Suite struct AccessCheckTests {
    private let fixture = DownloadFixture()

    @Test(arguments: [true, false])
    func checksAgainAfterRead(allowsOriginRequests: Bool) async throws {
        let url = fixture.file(length: 1000)
        fixture.library.origin[url]?.peer = .local
        let store = try await fixture.library.open()
        var settings = store.transfers.narrowed(to: .publicOnly)
        settings.allowsOriginRequests = allowsOriginRequests
        var reads: [ReadRequest] = []
        var discarded = 0
        let error = await #expect(throws: CacheError.self) {
            _ = try await store.withAccessCheck(
                ReadRequest(url: url, settings: settings), discarding: { _ in discarded += 1 }
            ) { request in
                reads.append(request)
                if reads.count == 1 {
                    _ = try await store.fill(ReadRequest(url: url))
                    // Bytes requested before the second check must be confirmed by the origin.
                    fixture.library.time.advance(by: .seconds(1))
                }
                return try await store.fill(request)
            }
        }
        #expect(error?.code == .forbiddenAddress)
        #expect(reads.map(\.revalidation.isSince) == (allowsOriginRequests ? [false, true] : [false]))
        #expect(discarded == 1)
        await store.close()
    }
}
