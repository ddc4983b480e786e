/// An editor that finds and replaces the references in a playlist's bytes. All other bytes stay unchanged, with the
/// exceptions that ``rewritten(_:_:)`` lists.
public struct PlaylistReferences: Sendable {
    /// The number of bytes from which the length of the rewritten playlist is estimated.
    private static let sampleLength = 64 * 1024

    /// The context for the playlist's variables (RFC 8216bis §4.4.2.3).
    public var context: PlaylistContext

    /// Creates an editor with a context for variables.
    public init(context: PlaylistContext = PlaylistContext()) { self.context = context }

    /// Calls `body` with each reference in playlist order, and rethrows its error.
    public func forEach<Failure: Error>(
        in bytes: [UInt8], _ body: (Reference) throws(Failure) -> Void
    ) throws(Failure) {
        try withBytes(of: bytes) { (buffer) throws(Failure) in
            var scanner = ReferenceScanner(buffer, context: context)
            while let finding = scanner.next() {
                if case .reference(let reference) = finding { try body(reference) }
            }
        }
    }

    /// Returns all references in playlist order.
    public func all(in bytes: [UInt8]) -> [Reference] {
        var references: [Reference] = []
        forEach(in: bytes) { references.append($0) }
        return references
    }

    /// Returns a playlist without the characters that ``rewritten(_:_:)`` removes first.
    package static func withoutLineSplitters(_ bytes: [UInt8]) -> [UInt8] { LineSplitters.removed(from: bytes) }

    /// Returns a playlist with some of its references replaced.
    ///
    /// Every reference that a player may find in the result has been passed to `replacement`:
    /// - ASCII control characters except line ends and tabs, and Unicode line separators, are removed first. Some
    ///   players end lines there and would find a URI in the rest of the line.
    /// - Players split malformed attribute lists in different ways, at blanks, second quotes or backslashes. A line is
    ///   truncated before an attribute in which only some players find a reference. A line that only some players read
    ///   as a tag, because it begins with Unicode white space, is emptied.
    /// - A line end is appended to an EXTINF on the last line. Without it, some players read the title as a URI.
    ///
    /// - Parameters:
    ///   - bytes: The playlist in UTF-8.
    ///   - replacement: A function that returns the new URI for a reference, or nil to leave the reference as written,
    ///     including its variables. Quotes and line ends in the new URI are percent-encoded. Its error is rethrown.
    public func rewritten<Failure: Error>(
        _ bytes: [UInt8], _ replacement: (Reference) throws(Failure) -> String?
    ) throws(Failure) -> [UInt8] {
        try withBytes(of: LineSplitters.removed(from: bytes)) { (buffer) throws(Failure) in
            var output: [UInt8] = []
            output.reserveCapacity(min(buffer.count, PlaylistReferences.sampleLength) * 2)
            var isReserved = false
            var copied = 0
            var scanner = ReferenceScanner(buffer, context: context)
            while let finding = scanner.next() {
                let reference: Reference
                switch finding {
                case .reference(let found): reference = found
                case .ambiguousText(let range):
                    output.append(contentsOf: buffer[copied..<range.lowerBound])
                    copied = range.upperBound
                    continue
                }
                guard let uri = try replacement(reference) else { continue }
                output.append(contentsOf: buffer[copied..<reference.bytes.lowerBound])
                let needsQuotes = reference.attribute != nil && !reference.isQuoted
                if needsQuotes { output.append(.quote) }
                output.appendURI(uri)
                if needsQuotes { output.append(.quote) }
                copied = reference.bytes.upperBound
                if !isReserved, copied >= PlaylistReferences.sampleLength {
                    // An array that grows by doubling is briefly in memory twice. The estimate is capped, since in a
                    // hostile playlist the first lines may grow more than the others.
                    isReserved = true
                    let growth = Double(output.count) / Double(copied) * 1.02
                    output.reserveCapacity(Int(Double(buffer.count) * min(growth, 4)) + 1024)
                }
            }
            output.append(contentsOf: buffer[copied...])
            if scanner.endsInSegmentTag { output.append(.lineFeed) }
            return output
        }
    }
}

extension [UInt8] {
    /// Appends a URI. Bytes that would end its line or its quoted string are percent-encoded.
    mutating func appendURI(_ uri: String) {
        var uri = uri
        uri.withUTF8 { utf8 in
            let isPlain = !utf8.contains {
                $0 == .quote || $0 < .space && $0 != .tab || LineSplitters.mayBeginSeparator($0)
            }
            if isPlain {
                append(contentsOf: utf8)
                return
            }
            let hasSeparator = LineSplitters.hasSeparator(Array(utf8))
            for byte in utf8 {
                if byte == .quote || byte < .space && byte != .tab || byte >= 0x80 && hasSeparator {
                    appendPercentEncoded(byte)
                } else {
                    append(byte)
                }
            }
        }
    }
}

/// Calls `body` with the bytes of an array, and preserves the type of the error.
func withBytes<Value, Failure: Error>(
    of bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
) throws(Failure) -> Value {
    try bytes.withUnsafeBufferPointer { (buffer) throws(Failure) in
        try body(UnsafeRawBufferPointer(buffer))
    }
}

/// The characters other than LF, CRLF and CR at which some players end a line.
///
/// RFC 8216bis §4.1 forbids the control characters among them. FFmpeg ends a line at NUL, Python's `splitlines()` at
/// VT, FF, FS, GS, RS, NEL, U+2028 and U+2029, and JavaScript regular expressions at the last two.
enum LineSplitters {
    /// Returns the bytes without these characters and without other ASCII control characters, except line ends and
    /// tabs.
    static func removed(from bytes: [UInt8]) -> [UInt8] {
        let (hasControls, isASCII) = bytes.withUnsafeBytes { ($0.hasForbiddenControl, $0.isASCII) }
        guard hasControls || !isASCII && hasSeparator(bytes) else { return bytes }
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        for byte in bytes where !byte.isForbiddenControl {
            output.append(byte)
            // The removal of a control character can create a separator.
            let length = separatorLength(output[...])
            if length > 0 { output.removeLast(length) }
        }
        return output
    }

    /// Returns whether a byte may be the first byte of NEL, U+2028 or U+2029 in UTF-8.
    static func mayBeginSeparator(_ byte: UInt8) -> Bool { byte == 0xC2 || byte == 0xE2 }

    /// Returns whether the bytes contain NEL, U+2028 or U+2029.
    static func hasSeparator(_ bytes: [UInt8]) -> Bool {
        bytes.indices.contains { index in
            bytes[index] >= 0x80 && separatorLength(bytes[...index]) > 0
        }
    }

    /// Returns the length of NEL, U+2028 or U+2029 at the end of the bytes; 0 if there is none.
    private static func separatorLength(_ bytes: ArraySlice<UInt8>) -> Int {
        switch bytes.last {
        case 0x85: bytes.suffix(2).first == 0xC2 ? 2 : 0
        case 0xA8, 0xA9: bytes.suffix(3).starts(with: [0xE2, 0x80]) ? 3 : 0
        default: 0
        }
    }
}
