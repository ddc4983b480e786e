import Foundation
import HTTPTypes

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A response head that describes the body as delivered by the session, which may have decoded it.
struct SessionHead {
    /// The content codings that the system decodes (RFC 9110 §8.4.1).
    private static let decoded = ["gzip", "x-gzip", "deflate", "br"]

    /// The header fields, without `Content-Encoding` and `Content-Length` if the body is decoded.
    let fields: HTTPFields
    /// Whether the body is a range of an encoded representation, whose bytes can't be used.
    let isDecodedPart: Bool
    /// The `Content-Length`; nil if it is absent, the body is decoded, or the status excludes a body.
    let bodyLength: Int64?

    init(_ response: HTTPURLResponse) {
        var fields = HTTPFields()
        for (name, value) in response.allHeaderFields {
            guard let text = name as? String, let name = HTTPField.Name(text), let value = value as? String else {
                continue
            }
            fields.append(HTTPField(name: name, value: value))
        }
        let coding = fields[.contentEncoding]?.lowercased().split(separator: ",").last?.filter { $0 != " " } ?? ""
        let isDecoded = Self.decoded.contains(String(coding))
        isDecodedPart = isDecoded && response.statusCode == 206
        if isDecoded {
            fields[.contentEncoding] = nil
            fields[.contentLength] = nil
        }
        let hasBody = response.statusCode != 304 && response.statusCode != 204
        bodyLength = hasBody ? fields[.contentLength].flatMap { Int64($0) } : nil
        self.fields = fields
    }
}
