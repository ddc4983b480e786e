import HTTPTypes
import MediaCache

/// A response head, received line by line (RFC 9112 §2.1).
struct CurlHead {
    /// The maximum number of bytes of the response head and the interim ones before it.
    private static let maximumBytes = 256 << 10
    /// The maximum number of bytes of a field value with folded lines. Each line costs time in proportion to the value.
    private static let maximumFoldedBytes = 8 << 10

    private(set) var status = 0
    private(set) var fields = HTTPFields()
    /// Whether the final response's head has been received.
    private(set) var isComplete = false
    private var byteCount = 0

    /// Receives a line, including its line ending.
    ///
    /// - Parameter authority: The host that sent it, for errors.
    /// - Throws: `CacheError` with `badResponse` if the head or a folded field is too long, or if the head announces a
    ///   transfer coding that wasn't requested.
    mutating func receive(_ bytes: UnsafeRawBufferPointer, from authority: String) throws(CacheError) {
        byteCount += bytes.count
        guard byteCount <= Self.maximumBytes else {
            throw CacheError(.badResponse, "\(authority) sent a response head of more than \(Self.maximumBytes) bytes")
        }
        var line = bytes[...]
        while let last = line.last, last == 0x0A || last == 0x0D { line.removeLast() }
        if line.starts(with: "HTTP/".utf8) {
            status = line.drop { $0 != 0x20 }.dropFirst().prefix(3).reduce(0) { $0 * 10 + Int($1) - 0x30 }
            fields = HTTPFields()
        } else if line.isEmpty {
            // An interim response (RFC 9110 §15.2) precedes the final one.
            guard status >= 200 || status == 101 else { return }
            guard hasOnlyChunkedCoding else {
                throw CacheError(.badResponse, "\(authority) uses a transfer coding that wasn't requested")
            }
            isComplete = true
        } else if let first = line.first, first == 0x20 || first == 0x09 {
            // A folded line (RFC 9112 §5.2).
            guard let last = fields.last else { return }
            guard last.value.utf8.count + line.count <= Self.maximumFoldedBytes else {
                throw CacheError(.badResponse, "\(authority) sent a folded header field that is too long")
            }
            fields[fields.endIndex - 1].value = "\(last.value) \(Self.text(line))"
        } else if let colon = line.firstIndex(of: UInt8(ascii: ":")),
            let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self))
        {
            fields.append(HTTPField(name: name, value: Self.text(line[line.index(after: colon)...])))
        }
    }

    /// Whether the body has no transfer coding except `chunked` (RFC 9112 §7). libcurl would decode others, so that a
    /// few received bytes could become many.
    private var hasOnlyChunkedCoding: Bool {
        fields[.transferEncoding]?.split(separator: ",").allSatisfy { coding in
            coding.drop { $0 == " " || $0 == "\t" }.lowercased().hasPrefix("chunked")
        } ?? true
    }

    /// Returns a field value without the white space around it.
    private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        var bytes = bytes.drop { $0 == 0x20 || $0 == 0x09 }
        while let last = bytes.last, last == 0x20 || last == 0x09 { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}
