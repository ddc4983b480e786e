/// The references of a playlist, found and replaced in its bytes without building a model.
///
/// Everything else stays byte for byte: blanks, line ends, unknown tags, text that isn't UTF-8.
///
/// ```swift
/// let proxied = PlaylistReferences().rewritten(body) { reference in
///     URLReference(reference.uri).form == .absolute ? "/proxy?url=" + reference.uri : nil
/// }
/// ```
public struct PlaylistReferences: Sendable {
    /// By this much of a playlist it's judged how much longer it gets.
    private static let sampleLength = 64 * 1024

    /// What variables of the playlist may come from (RFC 8216bis, section 4.4.2.3).
    public var context: PlaylistContext

    /// Finds references with the variables that `context` brings.
    public init(context: PlaylistContext = PlaylistContext()) {
        self.context = context
    }

    /// Calls `body` with each reference, in the order of the playlist.
    ///
    /// - Throws: what `body` throws.
    public func forEach<Failure: Error>(
        in bytes: [UInt8], _ body: (Reference) throws(Failure) -> Void
    ) throws(Failure) {
        try withBytes(of: bytes) { (buffer) throws(Failure) in
            var scanner = ReferenceScanner(buffer, context: context)
            while let reference = scanner.nextReference() { try body(reference) }
        }
    }

    /// All references, in the order of the playlist.
    public func all(in bytes: [UInt8]) -> [Reference] {
        var references: [Reference] = []
        forEach(in: bytes) { references.append($0) }
        return references
    }

    /// Returns a playlist as ``rewritten(_:_:)`` reads it: without control characters other than line ends and tabs, and
    /// without the line ends of Unicode.
    package static func withoutLineSplitters(_ bytes: [UInt8]) -> [UInt8] { LineSplitters.removed(from: bytes) }

    /// The playlist with some of its references replaced.
    ///
    /// Control characters other than line ends and tabs, and the line ends of Unicode, are taken out first: some players
    /// end lines there, and would read a reference where there is none.
    ///
    /// Where players split a list of attributes in different ways, only one of them finds a reference behind a blank, a
    /// second quote or a backslash. The line ends in front of the name of such an attribute.
    ///
    /// - Parameters:
    ///   - bytes: the playlist in UTF-8.
    ///   - replacement: the new URI of a reference; nil leaves it as it is written, variables included. Quotes and line
    ///     ends in it are percent-encoded, since neither can stand there.
    /// - Returns: the bytes, equal to the given ones but for what was replaced or left out. A line end follows EXTINF at
    ///   the end, where some players would read its title as a URI.
    /// - Throws: what `replacement` throws.
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
                    // Room for all of it, judged by the part that is done: growing by doubling would hold it twice.
                    // Bounded, since the first lines of a hostile playlist may grow as no other does.
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
    /// A URI whose bytes that would end its line or its quoted string are percent-encoded.
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

/// Lends an array's bytes, with the error's type kept.
func withBytes<Value, Failure: Error>(
    of bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
) throws(Failure) -> Value {
    try bytes.withUnsafeBufferPointer { (buffer) throws(Failure) in
        try body(UnsafeRawBufferPointer(buffer))
    }
}
