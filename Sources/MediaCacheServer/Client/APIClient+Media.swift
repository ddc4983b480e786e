internal import AsyncHTTPClient
internal import Foundation
internal import MediaCache
internal import NIOCore
internal import NIOHTTP1

extension APIClient {
    /// A play URL of the same resource, by which only what is kept is read: the origin isn't asked for anything, and a hole
    /// is an error.
    public static func keptOnly(_ playURL: String) -> String {
        guard let start = playURL.firstRange(of: PlayTarget.prefix)?.upperBound,
            let end = playURL[start...].firstIndex(of: "/"),
            !playURL[start..<end].split(separator: ";").contains(PlayOptions.keptOnly)
        else { return playURL }
        return "\(playURL[..<end]);\(PlayOptions.keptOnly)\(playURL[end...])"
    }

    /// Bytes of what lies at a play URL, as a player asks for them.
    ///
    /// - Parameters:
    ///   - playURL: what ``playURL(for:)`` gave, or what a playlist there names.
    ///   - range: the bytes wanted, cut at the end of the resource; nil for all of it.
    ///   - limit: the most bytes that are taken.
    /// - Returns: the bytes; without the range where the server can't tell parts, as of what has no length.
    /// - Throws: ``Problem`` where there are none, ``APIClientError``, `CancellationError`.
    public func media(
        at playURL: String, range: Range<Int64>? = nil, limit: Int
    ) async throws -> MediaPart {
        var request = HTTPClientRequest(url: playURL)
        if isLibraryURL(playURL) { request.headers.add(name: "Authorization", value: "Bearer \(key.value)") }
        if let range { request.headers.add(name: "Range", value: "bytes=\(range.lowerBound)-\(range.upperBound - 1)") }
        let response: HTTPClientResponse
        let body: ByteBuffer
        do {
            // What has to come from a slow origin first takes its time.
            response = try await http.execute(request, deadline: .distantFuture)
            body = try await response.body.collect(upTo: limit)
        } catch is NIOTooManyBytesError {
            throw Problem(
                title: "Too long", status: 502, detail: "the answer has more than \(limit) bytes",
                code: CacheError.Code.badResponse.rawValue)
        } catch {
            try Task.checkCancellation()
            throw APIClientError.unreachable(address: address, cause: error)
        }
        guard response.status == .ok || response.status == .partialContent else {
            if let problem = try? APICoding.makeDecoder().decode(Problem.self, from: Data(body.readableBytesView)) {
                throw problem
            }
            throw APIClientError.unexpectedAnswer(
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
