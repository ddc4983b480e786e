internal import Foundation
internal import HTTPTypes
package import MediaCache

/// A sender of small requests to an origin. It bypasses the cache.
package struct OriginProbe: Sendable {
    /// A response: its head, and the first bytes of its body.
    package struct Response: Sendable {
        var url: ResourceURL
        var status: Int
        var fields: HTTPFields
        var references = AddressScope.publicOnly
        var bytes: [UInt8]
        /// Whether ``bytes`` is known to be the whole body.
        var isWhole: Bool
        /// The time until the head was received.
        var latency: Duration
        /// The time from the head until the last byte was read.
        var reading: Duration

        /// The target of a redirect.
        var location: String? { [301, 302, 303, 307, 308].contains(status) ? fields[.location] : nil }
    }

    var origin: any Origin
    var settings: TransferSettings

    package init(origin: any Origin, settings: TransferSettings) {
        self.origin = origin
        self.settings = settings
    }

    func narrowed(to scope: AddressScope) -> OriginProbe {
        OriginProbe(origin: origin, settings: settings.narrowed(to: scope))
    }

    /// The time limits of requests. They're shorter than a player's, but longer than a healthy origin needs.
    static let limits = TransferLimits(connect: .seconds(6), firstByte: .seconds(8), stall: .seconds(5))
    private static let totalLimit = Duration.seconds(20)

    /// Sends a request without following redirects.
    ///
    /// - Parameters:
    ///   - range: The value of the `Range` field.
    ///   - byteLimit: The number of bytes of the body after which the response is cancelled. The last piece may exceed
    ///     it.
    ///   - time: The time after the response head from which no further piece is read.
    func request(
        _ url: ResourceURL, range: String? = nil, byteLimit: Int = 1024, for time: Duration = .seconds(4)
    ) async throws -> Response {
        let response = try await TimeLimit.run(Self.totalLimit) {
            var conditions = HTTPFields()
            conditions[.range] = range
            let request = OriginRequest(
                url: url.withoutUserInfo, headerFields: settings.headerFields(for: url, conditions, now: Date()),
                limits: Self.limits, scope: settings.scope)
            let begin = ContinuousClock.now
            let head = try await origin.send(request)
            var response = Response(
                url: url, status: head.status, fields: head.headerFields,
                references: AddressScope(ofReferencesAt: url, from: head.peer, requestedWith: settings.scope),
                bytes: [], isWhole: false, latency: ContinuousClock.now - begin, reading: .zero)
            let reading = ContinuousClock.now
            while response.bytes.count < byteLimit, ContinuousClock.now - reading < time {
                guard let piece = try await head.body.next() else {
                    response.isWhole = true
                    break
                }
                piece.withUnsafeBytes { response.bytes.append(contentsOf: $0) }
            }
            response.reading = ContinuousClock.now - reading
            head.body.cancel()
            return response
        }
        guard let response else {
            throw CacheError(.timedOut, "\(url) sent no response within \(Self.totalLimit / .seconds(1)) s")
        }
        return response
    }

    /// Sends a request like ``request(_:range:byteLimit:for:)``, and follows redirects.
    func follow(
        _ url: ResourceURL, range: String? = nil, byteLimit: Int = 1024, for time: Duration = .seconds(4)
    ) async throws -> Response {
        var (url, probe) = (url, self)
        for _ in 0..<10 {
            let response = try await probe.request(url, range: range, byteLimit: byteLimit, for: time)
            guard let location = response.location else { return response }
            url = try url.resolve(location)
            probe = probe.narrowed(to: response.references)
        }
        throw CacheError(.badResponse, "\(url) redirects too often")
    }
}

/// An origin's responses to a few small requests for one resource.
struct OriginFacts: Sendable {
    /// The response to a request for the first bytes.
    var first: OriginProbe.Response
    /// The response to a repetition of the first request; nil if it failed.
    var second: OriginProbe.Response?
    /// The response to a request for the last 64 bytes; nil if it failed.
    var suffix: OriginProbe.Response?

    init(_ first: OriginProbe.Response) { self.first = first }

    /// The length of the resource in bytes; nil if the first response neither declares it nor is complete.
    var length: Int64? {
        if let content = contentRange { return content.completeLength }
        if let length = first.fields[.contentLength].flatMap(Int64.init), first.status == 200 { return length }
        return first.isWhole ? Int64(first.bytes.count) : nil
    }

    var contentRange: ContentRange? {
        first.status == 206 ? first.fields[.contentRange].flatMap(ContentRange.init) : nil
    }

    var supportsRanges: Bool { first.status == 206 && contentRange?.range?.lowerBound == 0 }

    /// The media type detected from the first bytes; nil if they aren't recognized, or have a content coding.
    var sniffed: String? {
        guard ResponseCheck.contentCoding(first.fields) == nil else { return nil }
        return first.bytes.prefix(MediaType.sniffLength).withUnsafeBytes(MediaType.sniff)
    }

    /// The media type, determined from the first bytes, the `Content-Type` field and the extension.
    var type: String {
        MediaType.resolve(
            sniffed: sniffed, declared: first.fields[.contentType], pathExtension: first.url.pathExtension.lowercased())
    }
}
