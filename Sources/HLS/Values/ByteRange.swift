/// A byte range of a resource (RFC 8216bis §4.4.4.2).
public struct ByteRange: Sendable, Hashable, CustomStringConvertible {
    /// The number of bytes.
    public var length: Int
    /// The offset of the first byte; nil for a range that begins at the end of the previous range of the resource.
    public var offset: Int?

    /// Creates a range.
    public init(length: Int, offset: Int? = nil) {
        self.length = length
        self.offset = offset
    }

    /// Parses `length@offset`, `length` or, as some servers write it, `length@`. Returns nil for any other text.
    public init?(_ text: String) {
        guard let range = text.withBytes({ ByteRange($0, 0..<$0.count) }) else { return nil }
        self = range
    }

    init?(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
        guard let length = DecimalValue.read(bytes, range), length.value.significand >= 0,
            length.value.fractionDigits == 0
        else { return nil }
        self.init(length: Int(clamping: length.value.significand))
        if length.end == range.upperBound { return }
        guard bytes[length.end] == .at else { return nil }
        // Some servers write `@` without an offset.
        if length.end + 1 == range.upperBound { return }
        guard
            let offset = DecimalValue.read(bytes, (length.end + 1)..<range.upperBound),
            offset.end == range.upperBound, offset.value.significand >= 0, offset.value.fractionDigits == 0
        else { return nil }
        self.offset = Int(clamping: offset.value.significand)
    }

    /// The offset after the last byte; nil without an offset or if the sum exceeds 64 bits.
    public var end: Int? {
        guard let offset else { return nil }
        let (end, overflow) = offset.addingReportingOverflow(length)
        return overflow ? nil : end
    }

    /// The range in playlist syntax.
    public var description: String { offset.map { "\(length)@\($0)" } ?? "\(length)" }
}
