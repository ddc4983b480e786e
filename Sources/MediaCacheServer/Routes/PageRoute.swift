import CMediaCachePage
import HTTPTypes
import MediaCacheAPI

/// The page at `/`, and its files below `/page/`. They require no key and contain no secret: the page reads the key
/// from the fragment of its address, which browsers don't send.
struct PageRoute: Route {
    static let prefix = "/page/"
    /// The page's content security policy: requests only to this server, scripts and styles only from its files, and no
    /// embedding in other sites.
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
        + "media-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    let paths = ["/", PageRoute.prefix]
    let access = RouteAccess.open
    /// The embedded files, by name.
    let files: [String: [UInt8]]

    init() {
        files = Dictionary(
            uniqueKeysWithValues: (0..<mediacache_page_file_count()).map { index in
                let file = mediacache_page_file_at(index)
                let content = UnsafeBufferPointer(start: file.bytes, count: file.count)
                return (String(cString: file.name), Array(content))
            })
    }

    func bodyLimit(of method: HTTPRequest.Method, at path: String, within limits: ServerLimits) -> Int { 0 }

    func respond(to request: RouteRequest) async throws -> RouteResponse {
        try request.requireRead()
        let name = request.path == "/" ? "index.html" : String(request.path.dropFirst(Self.prefix.utf8.count))
        guard let file = files[name] else { throw Problem.notFound("the page has no file “\(name)”") }
        return RouteResponse(
            headerFields: [
                .contentType: Self.type(of: name), .cacheControl: "no-cache", .contentSecurityPolicy: Self.policy,
                .referrerPolicy: "no-referrer",
            ],
            body: .bytes(file))
    }

    private static func type(of name: String) -> String {
        switch name.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "svg": "image/svg+xml"
        default: "application/octet-stream"
        }
    }
}

extension HTTPField.Name {
    /// W3C Referrer Policy §4.1.
    fileprivate static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
}
