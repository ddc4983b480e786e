import Foundation
import MediaCache
import NIOHTTP1

/// The header fields of responses with media. Nothing of the origin's goes through but what is named here.
enum PlayHeaders {
    /// The fields that describe a representation.
    ///
    /// - Parameters:
    ///   - contentType: of the whole response, which for several ranges isn't the representation's.
    ///   - acceptsRanges: whether parts may be asked for.
    ///   - isAdmitted: whether the path holds the right key.
    ///   - now: for the age of what may be out of date.
    static func make(
        for head: ResourceHead, contentType: String? = nil, acceptsRanges: Bool = true, isAdmitted: Bool = true,
        now: Date
    ) -> HTTPHeaders {
        var headers = HTTPHeaders()
        headers.reserveCapacity(14)
        headers.add(name: "Content-Type", value: contentType ?? head.contentType)
        headers.add(name: "Accept-Ranges", value: acceptsRanges ? "bytes" : "none")
        headers.add(name: "ETag", value: head.entityTag)
        if let modified = head.validator.lastModified { headers.add(name: "Last-Modified", value: modified) }
        addProtection(to: &headers, isAdmitted: isAdmitted)
        if !MediaTypes.isInert(head.contentType) { headers.add(name: "Content-Security-Policy", value: "sandbox") }
        // What a player holds of a playlist may be too old by the next look.
        if MediaType.isPlaylist(head.contentType) { headers.add(name: "Cache-Control", value: "no-cache") }
        if head.isStale {
            // The origin couldn't be asked: what is kept is served, and says so (RFC 9111 §4.2.4 and §5.1).
            headers.add(name: "Age", value: "\(max(0, Int(now.timeIntervalSince(head.validatedAt))))")
            headers.add(name: "Warning", value: "110 - \"Response is Stale\"")
        }
        return headers
    }

    /// The fields that every answer with media has, errors too.
    ///
    /// - Parameter isAdmitted: whether the path holds the right key. Then any page may read the answer.
    static func addProtection(to headers: inout HTTPHeaders, isAdmitted: Bool = true) {
        headers.add(name: "X-Content-Type-Options", value: "nosniff")
        headers.add(name: "Referrer-Policy", value: "no-referrer")
        guard isAdmitted else { return }
        headers.add(name: "Access-Control-Allow-Origin", value: "*")
        headers.add(name: "Access-Control-Expose-Headers", value: "Content-Length, Content-Range, Accept-Ranges, ETag")
        headers.add(name: "Cross-Origin-Resource-Policy", value: "cross-origin")
    }

    /// The answer to a CORS preflight (Fetch §3.2.2).
    static func preflight() -> HTTPHeaders {
        var headers = HTTPHeaders()
        addProtection(to: &headers)
        headers.add(name: "Access-Control-Allow-Methods", value: "GET, HEAD, OPTIONS")
        headers.add(name: "Access-Control-Allow-Headers", value: "Range, If-Range, If-None-Match, If-Modified-Since")
        headers.add(name: "Access-Control-Max-Age", value: "86400")
        headers.add(name: "Allow", value: "GET, HEAD, OPTIONS")
        return headers
    }
}
