import HTTPTypes
import MediaCache

/// What is known of a resource after a few small requests.
struct OriginFacts: Sendable {
    /// The answer to its first 1024 bytes.
    var first: OriginProbe.Answer
    /// The answer to the same once more; nil where none came.
    var second: OriginProbe.Answer?
    /// The answer to its last 64 bytes; nil where none came.
    var suffix: OriginProbe.Answer?

    /// What an answer says.
    init(_ first: OriginProbe.Answer) {
        self.first = first
    }

    /// The length; nil where nothing says it.
    var length: Int64? {
        if let content = contentRange { return content.completeLength }
        if let length = first.fields[.contentLength].flatMap(Int64.init), first.status == 200 { return length }
        return first.isWhole ? Int64(first.bytes.count) : nil
    }

    /// What the first answer says of its range.
    var contentRange: ContentRange? {
        first.status == 206 ? first.fields[.contentRange].flatMap(ContentRange.init) : nil
    }

    /// Whether any part of it can be had.
    var takesRanges: Bool { first.status == 206 && contentRange?.range?.lowerBound == 0 }

    /// What the first bytes say that it is; nil where they don't.
    var sniffed: String? {
        guard ResponseCheck.contentCoding(first.fields) == nil else { return nil }
        return first.bytes.prefix(MediaType.sniffLength).withUnsafeBytes(MediaType.sniff)
    }

    /// What it's taken for.
    var type: String {
        MediaType.resolve(
            sniffed: sniffed, declared: first.fields[.contentType],
            pathExtension: first.url.pathExtension.lowercased())
    }
}
