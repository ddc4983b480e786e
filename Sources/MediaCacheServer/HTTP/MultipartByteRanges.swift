import MediaCache
import NIOCore

/// The framing of a `multipart/byteranges` response (RFC 9110 §14.6).
struct MultipartByteRanges {
    /// The parts in the order they are sent.
    let ranges: [Range<Int64>]
    /// What stands between them. Random, so that no media holds it.
    let boundary: String
    private let contentType: String
    private let length: Int64

    /// Frames `ranges` of a representation of `length` bytes.
    init(ranges: [Range<Int64>], length: Int64, contentType: String) {
        self.ranges = ranges
        self.length = length
        self.contentType = contentType
        var generator = SystemRandomNumberGenerator()
        boundary = String(generator.next(), radix: 36) + String(generator.next(), radix: 36)
    }

    /// The value of the response's `Content-Type`.
    var headerValue: String { "multipart/byteranges; boundary=\(boundary)" }

    /// The length of the whole body in bytes.
    var contentLength: Int64 {
        ranges.indices.reduce(Int64(closing.utf8.count)) { sum, index in
            sum + Int64(opening(of: index).utf8.count) + Int64(ranges[index].count)
        }
    }

    /// What precedes the bytes of one part.
    func opening(of index: Int) -> String {
        let contentRange = ContentRange(range: ranges[index], completeLength: length).fieldValue ?? ""
        return "\(index == 0 ? "" : "\r\n")--\(boundary)\r\n"
            + "Content-Type: \(contentType)\r\nContent-Range: \(contentRange)\r\n\r\n"
    }

    /// What follows the last part.
    var closing: String { "\r\n--\(boundary)--\r\n" }
}
