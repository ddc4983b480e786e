import Foundation
import HTTPTypes

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A response's head as it fits the body that the session hands over.
struct SessionHead {
    /// The codings that the system takes off on its own (RFC 9110 §8.4.1).
    private static let decoded = ["gzip", "x-gzip", "deflate", "br"]

    /// The header fields. A body that was decoded has neither `Content-Encoding` nor `Content-Length`.
    let fields: HTTPFields
    /// Whether it's a part of what came in a coding: then its bytes mean nothing.
    let isDecodedPart: Bool
    /// How many bytes the body is to have, where that is told.
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
