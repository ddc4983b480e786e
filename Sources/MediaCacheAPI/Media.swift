internal import Foundation
internal import HTTPTypes
internal import MediaCache

/// The elements of play paths that the server shares with its clients.
package enum PlayPath {
    package static let prefix = "/play/"
    /// The prefix of the token in library and live paths: `/k/<token>/library/…`.
    package static let tokenPrefix = "/k/"
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
    /// Returns the play URL with an option that forbids origin requests, so that a hole is an error. Other URLs are
    /// returned unchanged.
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
    ///   - playURL: A URL returned by ``playURL(for:)``, one that its playlist references, or a URL for which
    ///     ``isLibraryURL(_:)`` returns true.
    ///   - range: The requested bytes, not empty, possibly beyond the end of the resource; nil for the whole resource.
    ///   - limit: The maximum number of bytes to receive.
    /// - Returns: The bytes, which may be the whole resource if the server can't serve the range.
    /// - Throws: ``Problem`` if the server refuses the request or the response has more than `limit` bytes;
    ///   ``APIClientError``; `CancellationError`.
    public func media(
        at playURL: String, range: Range<Int64>? = nil, limit: Int
    ) async throws -> MediaPart {
        var request = try request(.get, playURL)
        if isLibraryURL(playURL) { request.headerFields[.authorization] = "Bearer \(key.value)" }
        if let range { request.headerFields[.range] = "bytes=\(range.lowerBound)-\(range.upperBound - 1)" }
        let response = try await respond(to: request)
        let bytes = try await content(of: response, limit: limit)
        guard response.status == 200 || response.status == 206 else {
            throw failure(response, bytes, of: "a play URL")
        }
        guard let bytes else {
            throw Problem(
                title: "Response too long", status: 502, detail: "the response has more than \(limit) bytes",
                code: CacheError.Code.badResponse.rawValue)
        }
        let content = ContentRange(response.headerFields[.contentRange] ?? "")
        return MediaPart(
            offset: content?.range?.lowerBound ?? 0, bytes: bytes,
            completeLength: response.status == 200 ? Int64(bytes.count) : content?.completeLength,
            contentType: response.headerFields[.contentType] ?? "",
            entityTag: response.headerFields[.eTag])
    }
}
