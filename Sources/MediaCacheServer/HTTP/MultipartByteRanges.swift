import MediaCache

/// The framing of a `multipart/byteranges` response (RFC 9110 §14.6).
struct MultipartByteRanges {
    let ranges: [Range<Int64>]
    /// The boundary between parts. It is random, so that the media doesn't contain it.
    let boundary: String
    private let contentType: String
    private let length: Int64

    init(ranges: [Range<Int64>], length: Int64, contentType: String) {
        self.ranges = ranges
        self.length = length
        self.contentType = contentType
        var generator = SystemRandomNumberGenerator()
        boundary = String(generator.next(), radix: 36) + String(generator.next(), radix: 36)
    }

    var headerValue: String { "multipart/byteranges; boundary=\(boundary)" }

    var contentLength: Int64 {
        ranges.indices.reduce(Int64(closing.utf8.count)) { sum, index in
            sum + Int64(opening(of: index).utf8.count) + Int64(ranges[index].count)
        }
    }

    func opening(of index: Int) -> String {
        let contentRange = ContentRange(range: ranges[index], completeLength: length).fieldValue ?? ""
        return "\(index == 0 ? "" : "\r\n")--\(boundary)\r\n"
            + "Content-Type: \(contentType)\r\nContent-Range: \(contentRange)\r\n\r\n"
    }

    var closing: String { "\r\n--\(boundary)--\r\n" }
}
