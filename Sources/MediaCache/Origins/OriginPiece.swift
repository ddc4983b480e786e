/// Bytes of a representation as they came, at their place.
package struct OriginPiece: Sendable {
    package var buffer: any OriginBuffer
    /// The part of `buffer` that counts.
    package var part: Range<Int>
    /// Where its first byte lies in the representation.
    package var offset: Int64
    /// Whether these bytes are already here and are to be compared.
    package var isOverlap: Bool
    /// The validator of the response that they came with.
    package var validator: Validator
    /// Whether that response allows keeping its bytes.
    package var mayBeKept: Bool
    /// Whether the response had another entity tag than the version, and its bytes were compared instead.
    package var hasOtherTag: Bool

    /// Whether observers have seen it, and a transform has changed it.
    package var hasPassed = false

    package var range: Range<Int64> { offset..<offset + Int64(part.count) }

    package func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try buffer.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[part])) }
    }
}
