import Foundation
import HLS
import HTTPTypes
import MediaCache
import MediaCacheAPI
import MediaLibrary
import NIOHTTP1

/// The header fields that describe the representation in a response.
///
/// No value from an origin is sent unchecked: types come from an allow-list, dates are reformatted, and entity tags and
/// names of segments are checked.
enum PlayHeaders {
    private static let windowStart = "MediaCache-Window-Start"
    private static let gapCount = "MediaCache-Gap-Count"
    private static let gapList = "MediaCache-Gaps"

    /// Returns the fields that describe a representation.
    ///
    /// - Parameters:
    ///   - multipart: The type of a response with several ranges; nil for any other response.
    ///   - isAdmitted: Whether the path contains a valid token.
    ///   - now: The current time, for the age of a stale response.
    static func make(
        for head: ResourceHead, multipart: String? = nil, acceptsRanges: Bool = true, isAdmitted: Bool = true,
        now: Date
    ) -> HTTPHeaders {
        var headers = HTTPHeaders()
        headers.reserveCapacity(14)
        let type = SentMediaType(head.contentType)
        headers.add(name: "Content-Type", value: multipart ?? type.text)
        headers.add(name: "Accept-Ranges", value: acceptsRanges ? "bytes" : "none")
        headers.add(name: "ETag", value: EntityTag(sending: head.entityTag).text)
        if let modified = head.sentModification { headers.add(name: "Last-Modified", value: modified) }
        addProtection(to: &headers, isAdmitted: isAdmitted)
        if type.isSandboxed { headers.add(name: "Content-Security-Policy", value: "sandbox") }
        // Players must revalidate playlists, which may change at any time.
        if MediaType.isPlaylist(type.text) { headers.add(name: "Cache-Control", value: "no-cache") }
        if head.isStale {
            // A due revalidation failed, so the response is marked as stale. `Warning` is obsolete (RFC 9111 §5.5).
            headers.add(name: "Age", value: "\(max(0, Int(now.timeIntervalSince(head.validatedAt))))")
            headers.add(name: "Warning", value: "110 - \"Response is Stale\"")
        }
        return headers
    }

    /// Returns the fields of an API response with a cover.
    static func fields(of cover: Cover) -> HTTPFields {
        let type = SentMediaType(cover.mediaType)
        var fields: HTTPFields = [.contentType: type.text, .cacheControl: "private, no-cache"]
        if type.isSandboxed { fields[.contentSecurityPolicy] = "sandbox" }
        return fields
    }

    /// Adds the protective fields of responses on media paths, including errors.
    ///
    /// - Parameter isAdmitted: Whether the path contains a valid token. If so, pages of any site may read the response.
    ///   Otherwise browsers expose it only to pages of this server; other pages can't even embed it as an image.
    static func addProtection(to headers: inout HTTPHeaders, isAdmitted: Bool = true) {
        headers.add(name: "X-Content-Type-Options", value: "nosniff")
        headers.add(name: "Referrer-Policy", value: "no-referrer")
        headers.add(name: "Cross-Origin-Resource-Policy", value: isAdmitted ? "cross-origin" : "same-origin")
        guard isAdmitted else { return }
        headers.add(name: "Access-Control-Allow-Origin", value: "*")
        headers.add(
            name: "Access-Control-Expose-Headers",
            value: "Content-Length, Content-Range, Accept-Ranges, ETag, \(windowStart), \(gapCount), \(gapList)")
    }

    /// Adds the start of a recording's window. It is later than requested if the requested start isn't recorded.
    ///
    /// - Parameter time: Nanoseconds since 1970.
    static func addWindowStart(_ time: Int64, to headers: inout HTTPHeaders) {
        let date = DateTime(nanosecondsSinceEpoch: time / 1_000_000 * 1_000_000)
        headers.add(name: windowStart, value: date.description)
    }

    private static let maximumGaps = 20

    /// Adds the number of gaps in a movie and a list of the first ones (RFC 9651 §3.1). Each item is a cause with the
    /// start and duration in seconds, and the segment's name if it is plain, as parameters.
    static func addGaps(_ gaps: [MovieGap], to headers: inout HTTPHeaders) {
        guard !gaps.isEmpty else { return }
        headers.add(name: gapCount, value: "\(gaps.count)")
        let items = gaps.prefix(maximumGaps).map { gap in
            let item = "\(gap.cause.rawValue);start=\(decimal(gap.start));duration=\(decimal(gap.duration))"
            return isPlain(gap.name) ? "\(item);name=\"\(gap.name)\"" : item
        }
        headers.add(name: gapList, value: items.joined(separator: ", "))
    }

    /// Returns whether a segment's name, which may come from an origin, is short and needs no escapes in a string (RFC
    /// 9651 §3.3.3).
    private static func isPlain(_ name: String) -> Bool {
        (1...100).contains(name.utf8.count) && name.utf8.allSatisfy { $0.isNameByte || $0 == UInt8(ascii: ".") }
    }

    /// Returns a decimal with at most 12 integer digits and 3 fractional digits (RFC 9651 §3.3.2).
    private static func decimal(_ seconds: Double) -> String {
        let milliseconds = Int64(min(max(0, seconds * 1000), 999_999_999_999_999).rounded())
        let rest = String(milliseconds % 1000)
        return "\(milliseconds / 1000).\(String(repeating: "0", count: 3 - rest.count))\(rest)"
    }

    /// Returns the fields of the response to a CORS preflight (the CORS protocol of Fetch).
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

/// A cache of the fields that describe the representation of a connection's last response.
///
/// Players request range after range, and checking the type, tag and date each time would take longer than finding the
/// bytes. The cache is confined to one event loop.
final class RecentPlayHeaders {
    private struct Key: Equatable {
        var contentType: String
        var entityTag: String
        var lastModified: String?
        var acceptsRanges: Bool
        var isAdmitted: Bool

        /// Compares bytes, because strings with different bytes can be equal.
        static func == (left: Key, right: Key) -> Bool {
            left.acceptsRanges == right.acceptsRanges && left.isAdmitted == right.isAdmitted
                && left.entityTag.hasSameBytes(as: right.entityTag)
                && left.contentType.hasSameBytes(as: right.contentType)
                && (left.lastModified ?? "").hasSameBytes(as: right.lastModified ?? "")
        }
    }

    private var last: (key: Key, headers: HTTPHeaders)?
    private var lastType: (text: String, isDocument: Bool)?

    /// Returns the fields of ``PlayHeaders/make(for:multipart:acceptsRanges:isAdmitted:now:)``, from the cache if
    /// possible.
    func headers(for head: ResourceHead, acceptsRanges: Bool, isAdmitted: Bool, now: Date) -> HTTPHeaders {
        func make() -> HTTPHeaders {
            PlayHeaders.make(for: head, acceptsRanges: acceptsRanges, isAdmitted: isAdmitted, now: now)
        }
        // The age of a stale response changes.
        guard !head.isStale else { return make() }
        let key = Key(
            contentType: head.contentType, entityTag: head.entityTag, lastModified: head.validator.lastModified,
            acceptsRanges: acceptsRanges, isAdmitted: isAdmitted)
        if let last, last.key == key { return last.headers }
        let headers = make()
        last = (key, headers)
        return headers
    }

    func isDocument(_ contentType: String) -> Bool {
        if let lastType, lastType.text.hasSameBytes(as: contentType) { return lastType.isDocument }
        let isDocument = MediaType.isDocument(MediaType.essence(contentType) ?? "")
        lastType = (contentType, isDocument)
        return isDocument
    }
}

extension String {
    /// Returns whether two strings consist of the same UTF-8 bytes. `==` compares by canonical equivalence instead.
    func hasSameBytes(as other: String) -> Bool {
        let isSame = utf8.withContiguousStorageIfAvailable { bytes in
            other.utf8.withContiguousStorageIfAvailable { otherBytes in
                guard bytes.count == otherBytes.count else { return false }
                guard let start = bytes.baseAddress, let otherStart = otherBytes.baseAddress else { return true }
                return memcmp(start, otherStart, bytes.count) == 0
            }
        }
        return isSame.flatMap(\.self) ?? utf8.elementsEqual(other.utf8)
    }
}

extension ResourceHead {
    /// The `Last-Modified` value to send; nil if the origin's value isn't a date.
    var sentModification: String? { validator.lastModified.flatMap(HTTPDate.canonical) }
}
