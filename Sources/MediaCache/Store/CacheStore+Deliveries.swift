public import Foundation
public import HTTPTypes

/// A response to a GET request that the app sent itself, for example in the background. Its body is in a file.
public struct DeliveredResponse: Sendable {
    /// The requested URL.
    public var url: ResourceURL
    /// The requested byte range; nil without a `Range` field.
    public var requested: Range<Int64>?
    /// The status code (RFC 9110 §15).
    public var status: Int
    /// The header fields.
    public var headerFields: HTTPFields
    /// The URL after redirects if it differs from the requested one.
    public var location: ResourceURL?
    /// The path of a file that contains the body as received.
    public var file: String
    /// The time when the response was received; nil for the current time.
    public var received: Date?

    /// Creates a response.
    public init(
        url: ResourceURL, requested: Range<Int64>? = nil, status: Int, headerFields: HTTPFields,
        location: ResourceURL? = nil, file: String, received: Date? = nil
    ) {
        self.url = url
        self.requested = requested
        self.status = status
        self.headerFields = headerFields
        self.location = location
        self.file = file
        self.received = received
    }
}

extension CacheStore {
    /// Adds the body of a delivered response to the cache, after the same checks as for responses to the store.
    ///
    /// - Parameters:
    ///   - response: The response. Its file is read, but not moved.
    ///   - kind: The resource kind, which selects transforms.
    /// - Throws: ``CacheError`` with ``CacheError/Code/badResponse`` if the body is incomplete, empty or wasn't
    ///   requested, ``CacheError/Code/notMedia`` for a page, ``CacheError/Code/originStatus``, or
    ///   ``CacheError/Code/storage`` if the response or the admission policy forbids storing it, or it exceeds the
    ///   cache limit; and the errors of ``ingest(file:range:for:head:kind:)``.
    @discardableResult
    public func ingest(_ response: DeliveredResponse, kind: ResourceKind = .file) async throws -> ResourceInfo {
        try checkIngestible(kind)
        let received = response.received ?? now
        let (url, fields) = (response.url, response.headerFields)
        let verdict = try ResponseCheck.judge(
            status: response.status, headerFields: fields,
            requested: response.requested.map { .from($0.lowerBound, to: $0.upperBound) },
            known: nil, url: url, now: now)
        guard case .use(let responseHead) = verdict else {
            throw CacheError(.representationChanged, "\(url) was delivered in another version")
        }
        if let refusal = ResponseCheck.refusal(fields, transfers) {
            throw CacheError(notStored: "\(url) can't be stored: \(refusal.message)")
        }
        let (path, start) = (response.file, responseHead.start)
        let (size, front) = try await CacheError.wrapping("the file \(path) with the body of \(url) can't be read") {
            try await engine.run { engine in
                let file = try engine.files.open(path, creating: false)
                let size = try file.size()
                var front = [UInt8](repeating: 0, count: start == 0 ? Int(min(size, Int64(MediaType.sniffLength))) : 0)
                if !front.isEmpty { try front.withUnsafeMutableBytes { try file.read(into: $0, at: 0) } }
                return (size, front)
            }
        }
        let range = start..<start + size
        guard responseHead.end.map({ $0 == range.upperBound }) ?? true else {
            throw CacheError(
                .badResponse,
                "\(url) was delivered with \(size) bytes instead of \(responseHead.end.map { $0 - start } ?? 0)")
        }
        guard size > 0 else { throw CacheError(.badResponse, "\(url) was delivered without a body") }
        // A response without a range contains the whole resource, even if its length wasn't announced.
        let length = responseHead.completeLength ?? (response.status == 200 ? size : nil)
        let type = try MediaType.checked(
            start == 0 ? .body(front) : .unknown, declared: fields[.contentType], of: url, as: kind, length: length)
        let head = ResourceHead(
            length: length, contentType: type, validator: responseHead.validator, validatedAt: received,
            entityTag: responseHead.validator.strongEntityTag ?? "\"mc-\(BlobFolder.newName())\"",
            location: response.location.flatMap { $0 == url ? nil : $0 })
        guard case .keep = engine.configuration.admission.admission(of: url, head: head) else {
            throw CacheError(notStored: "\(url) can't be stored: the admission policy excludes it")
        }
        if let limit = engine.limits.maximumBytes, size > limit {
            throw CacheError(notStored: "\(url) has \(size) bytes, which exceeds the cache limit of \(limit) bytes")
        }
        return try await ingest(
            file: path, range: range, for: url, head: head, freshness: Freshness(fields, now: received), kind: kind,
            isProven: true)
    }

    /// Throws an error if delivered bytes of a kind can't be stored: ``CacheError/Code/closed``,
    /// ``CacheError/Code/storage``, or ``CacheError/Code/invalidSetting`` if the kind has a whole-body transform.
    package func checkIngestible(_ kind: ResourceKind) throws {
        try checkOpen()
        if let failure = engine.folderFailure { throw failure.writing }
        _ = try engine.partwiseTransform(for: kind)
    }
}
