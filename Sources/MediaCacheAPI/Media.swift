internal import AsyncHTTPClient
internal import Foundation
internal import MediaCache
internal import NIOCore
internal import NIOHTTP1

/// The elements of play paths that the server shares with its clients.
package enum PlayPath {
    /// The prefix of every play path.
    package static let prefix = "/play/"
    /// The option that limits a read to cached bytes.
    package static let cachedOnly: Substring = "cached=1"
}

/// Bytes read from a play URL.
public struct MediaPart: Sendable, Hashable {
    /// The offset of the first byte in the resource.
    public var offset: Int64
    /// The bytes.
    public var bytes: [UInt8]
    /// The length of the resource in bytes; nil if the origin doesn't report it.
    public var completeLength: Int64?
    /// The media type.
    public var contentType: String
    /// The entity tag of the resource's version; nil if it has none.
    public var entityTag: String?

    /// Creates a part.
    public init(
        offset: Int64, bytes: [UInt8], completeLength: Int64? = nil, contentType: String, entityTag: String? = nil
    ) {
        self.offset = offset
        self.bytes = bytes
        self.completeLength = completeLength
        self.contentType = contentType
        self.entityTag = entityTag
    }
}

extension APIClient {
    /// Returns a play URL of the same resource that reads only cached bytes. It never contacts the origin, and a hole
    /// is an error.
    public static func cachedOnly(_ playURL: String) -> String {
        guard let start = playURL.firstRange(of: PlayPath.prefix)?.upperBound,
            let end = playURL[start...].firstIndex(of: "/"),
            !playURL[start..<end].split(separator: ";").contains(PlayPath.cachedOnly)
        else { return playURL }
        return "\(playURL[..<end]);\(PlayPath.cachedOnly)\(playURL[end...])"
    }

    /// Reads bytes from a play URL, as a player does.
    ///
    /// - Parameters:
    ///   - playURL: A URL returned by ``playURL(for:)``, or one that its playlist references.
    ///   - range: The requested bytes, clamped to the end of the resource; nil for the whole resource.
    ///   - limit: The maximum number of bytes to receive.
    /// - Returns: The bytes. They aren't limited to the range if the server can't serve ranges, for example of a
    ///   resource of unknown length.
    /// - Throws: ``Problem`` if the server refuses the request; ``APIClientError``; `CancellationError`.
    public func media(
        at playURL: String, range: Range<Int64>? = nil, limit: Int
    ) async throws -> MediaPart {
        var request = HTTPClientRequest(url: playURL)
        if isLibraryURL(playURL) { request.headers.add(name: "Authorization", value: "Bearer \(key.value)") }
        if let range { request.headers.add(name: "Range", value: "bytes=\(range.lowerBound)-\(range.upperBound - 1)") }
        let response: HTTPClientResponse
        let body: ByteBuffer
        do {
            // There is no deadline, since a slow origin may have to deliver the bytes first.
            response = try await http.execute(request, deadline: .distantFuture)
            body = try await response.body.collect(upTo: limit)
        } catch is NIOTooManyBytesError {
            throw Problem(
                title: "Response too long", status: 502, detail: "the response has more than \(limit) bytes",
                code: CacheError.Code.badResponse.rawValue)
        } catch {
            try Task.checkCancellation()
            throw APIClientError.unreachable(address: address, cause: error)
        }
        guard response.status == .ok || response.status == .partialContent else {
            if let problem = try? APICoding.makeDecoder().decode(Problem.self, from: Data(body.readableBytesView)) {
                throw problem
            }
            throw APIClientError.unexpectedResponse(
                "a play URL: status \(response.status.code)", address: address, cause: nil)
        }
        let content = ContentRange(response.headers.first(name: "Content-Range") ?? "")
        let bytes = Array(body.readableBytesView)
        return MediaPart(
            offset: content?.range?.lowerBound ?? 0, bytes: bytes,
            completeLength: response.status == .ok ? Int64(bytes.count) : content?.completeLength,
            contentType: response.headers.first(name: "Content-Type") ?? "",
            entityTag: response.headers.first(name: "ETag"))
    }
}
