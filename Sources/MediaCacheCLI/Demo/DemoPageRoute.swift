import CMediaCacheDemo
import HTTPTypes
import MediaCacheAPI
import MediaCacheServer

/// The demo's page at `/demo`. It's open: it holds no secret, and brings the key along in the address's fragment, which
/// browsers don't send.
struct DemoPageRoute: Route {
    let paths = ["/demo"]
    let access = RouteAccess.open
    private let page: [UInt8]

    /// A route to the page that is built in.
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
