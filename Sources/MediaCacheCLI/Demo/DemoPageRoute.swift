import CMediaCacheDemo
import HTTPTypes
import MediaCacheAPI
import MediaCacheServer

/// The demo's page at `/demo`. It needs no key, since it contains no secret. Browsers don't send the fragment, which
/// contains the key.
struct DemoPageRoute: Route {
    let paths = ["/demo"]
    let access = RouteAccess.open
    private let page: [UInt8]

    init() {
        let asset = mediacache_demo_page()
        page = Array(UnsafeBufferPointer(start: asset.bytes, count: asset.count))
    }

    func respond(to request: RouteRequest) async throws -> RouteResponse {
        RouteResponse(
            headerFields: [
                .contentType: "text/html; charset=utf-8", .cacheControl: "no-cache", .xContentTypeOptions: "nosniff",
            ],
            body: .bytes(page))
    }
}
