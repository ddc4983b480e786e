public import Foundation
public import HTTPTypes

/// A response to a GET that another than the store's origin made, as a background session of the system. Its body lies in a
/// file.
public struct DeliveredResponse: Sendable {
    /// What was asked for.
    public var url: ResourceURL
    /// The bytes that `Range` asked for; nil without that field.
    public var asked: Range<Int64>?
    /// The status code (RFC 9110 §15).
    public var status: Int
    /// What the response said besides.
    public var headerFields: HTTPFields
    /// Where redirects led to, if to another place.
    public var location: ResourceURL?
    /// The path of a file that holds the body, as it came.
    public var file: String
    /// When it came; nil for now.
    public var received: Date?

    /// Creates a response.
    public init(
        url: ResourceURL, asked: Range<Int64>? = nil, status: Int, headerFields: HTTPFields,
        location: ResourceURL? = nil,
        file: String, received: Date? = nil
    ) {
        self.url = url
        self.asked = asked
        self.status = status
        self.headerFields = headerFields
        self.location = location
        self.file = file
        self.received = received
    }
}

extension CacheStore {
    /// Takes the body of a response that another than the store's origin brought into what is kept, if an answer of the
    /// origin's own could be: it's judged as those are.
    ///
    /// - Parameters:
    ///   - response: what came. Its file is read, not moved.
    ///   - kind: what it is to the content.
    /// - Throws: ``CacheError`` as a read of the same would, with ``CacheError/Code/badResponse`` for bytes that weren't asked
    ///   for, or aren't all here, ``CacheError/Code/notMedia`` for a page, ``CacheError/Code/originStatus``; and as
    ///   ``ingest(file:range:for:head:kind:)``.
    @discardableResult
    public func ingest(_ response: DeliveredResponse, kind: ResourceKind = .file) async throws -> ResourceInfo {
        try checkIngestible(kind)
        let received = response.received ?? now
        let (url, fields) = (response.url, response.headerFields)
        let verdict = ResponseCheck.judge(
            status: response.status, headerFields: fields,
            asked: response.asked.map { .from($0.lowerBound, to: $0.upperBound) },
            known: nil, url: url, now: now)
        let answer: CheckedHead
        switch verdict {
        case .use(let head): answer = head
        case .refuse(let error): throw error
        case .changed: throw CacheError(.representationChanged, "\(url) has another version than the one asked for")
        }
        if let refusal = ResponseCheck.refusal(fields, transfers) { throw refusal }
        let (path, start) = (response.file, answer.start)
        let (size, front) = try await engine.pool.run { [files = engine.files] in
            do {
                let file = try files.open(path, creating: false)
                let size = try file.size()
                var front = [UInt8](repeating: 0, count: start == 0 ? Int(min(size, Int64(MediaType.sniffLength))) : 0)
                if !front.isEmpty { try front.withUnsafeMutableBytes { try file.read(into: $0, at: 0) } }
                return (size, front)
            } catch {
                throw CacheError.wrap(error, as: .storage, "\(path) can't be read, where \(url) came")
            }
        }
        let range = start..<start + size
        guard answer.end.map({ $0 == range.upperBound }) ?? true else {
            throw CacheError(
                .badResponse, "\(url) came with \(size) bytes instead of \(answer.end.map { $0 - start } ?? 0)")
        }
        guard size > 0 else { throw CacheError(.badResponse, "\(url) came empty") }
        // Without a range it's all there is, whether its length was told or not.
        let length = answer.completeLength ?? (response.status == 200 ? size : nil)
        let type = try MediaType.checked(
            start == 0 ? .body(front) : .unknown, declared: fields[.contentType], of: url, as: kind, length: length)
        let head = ResourceHead(
            length: length, contentType: type, validator: answer.validator, validatedAt: received,
            entityTag: answer.validator.strongEntityTag ?? "\"mc-\(BlobFolder.newName())\"",
            location: response.location.flatMap { $0 == url ? nil : $0 })
        guard case .keep = engine.configuration.admission.admission(of: url, head: head) else {
            throw CacheError(notKept: "it's larger than may be kept, or of another kind")
        }
        if let limit = engine.configuration.limits.maximumBytes, size > limit {
            throw CacheError(notKept: "\(url) came with \(size) bytes, and no more than \(limit) are to be kept in all")
        }
        return try await ingest(
            file: path, range: range, for: url, head: head, freshness: Freshness(fields, now: received), kind: kind,
            isProven: true)
    }

    /// - Throws: ``CacheError`` with ``CacheError/Code/closed``, ``CacheError/Code/storage`` where nothing can be kept, or
    ///   ``CacheError/Code/invalidSetting`` where such things are transformed as a whole.
    package func checkIngestible(_ kind: ResourceKind) throws {
        try checkOpen()
        if let trouble = engine.trouble { throw trouble.writing }
        _ = try engine.partwiseTransform(for: kind)
    }
}
