/// An error in reading or writing a container; the only error type that the library throws.
public struct ContainerError: Error, Sendable {
    /// The kind of failure.
    public enum Code: String, Sendable, CaseIterable {
        /// The bytes end inside a structure.
        case truncated
        /// A field's value contradicts the standard or another field.
        case malformed
        /// The bytes aren't in this container format.
        case notThisFormat
        /// The structure is valid but not supported by this library.
        case unsupported
        /// The samples are encrypted (Common Encryption, SAMPLE-AES, scrambled transport packets).
        case encrypted
        /// A count or size exceeds a limit of the caller or of this library.
        case limitExceeded
        /// A value doesn't fit into its field of the output format.
        case unrepresentable
        /// The source or sink failed; see ``ContainerError/cause``.
        case inputOutput
    }

    /// The kind of failure.
    public var code: Code
    /// A description of the failure and the structure in which it occurred, such as `stsz: 4000 entries, room for 12`.
    public var summary: String
    /// The offset of the failure from the start of the file or stream in bytes, or nil if unknown.
    public var offset: Int64?
    /// A suggestion for the user, or nil.
    public var advice: String?
    /// The source's or sink's own error for ``Code-swift.enum/inputOutput``, or nil.
    public var cause: (any Error)?

    /// Creates an error.
    public init(
        _ code: Code, _ summary: String, at offset: Int64? = nil, advice: String? = nil, cause: (any Error)? = nil
    ) {
        self.code = code
        self.summary = summary
        self.offset = offset
        self.advice = advice
        self.cause = cause
    }
}

extension ContainerError: CustomStringConvertible {
    /// A single line: the summary, the offset, the cause and the advice.
    public var description: String {
        var line = summary
        if let offset { line += " (at byte \(offset))" }
        if let cause { line += ": \(cause)" }
        if let advice { line += ". \(advice)" }
        return line
    }
}

/// A recoverable defect that a reader found and skipped.
public struct ContainerDiagnostic: Sendable, Hashable {
    /// The kind of defect.
    public enum Code: String, Sendable, CaseIterable {
        /// Bytes outside of any packet were skipped.
        case skippedBytes
        /// The continuity counter of a transport stream jumped: packets are missing.
        case discontinuity
        /// A transport packet is scrambled; its payload can't be read.
        case scrambled
        /// A transport packet is marked as damaged, or its header is inconsistent.
        case transportError
        /// A table with a wrong checksum or inconsistent content was dropped.
        case damagedTable
        /// A PES packet is shorter than its length field, or its header can't be read.
        case damagedPacket
        /// Bytes of an elementary stream outside of any frame were dropped.
        case damagedFrame
        /// A frame before the first timestamp was dropped.
        case missingTimestamp
        /// A timestamp that's inconsistent with its neighbors was replaced.
        case damagedTimestamp
        /// A frame or ID3 tag that exceeds the size limit was dropped.
        case tooLong
    }

    /// The kind of defect.
    public var code: Code
    /// A description of the defect.
    public var summary: String
    /// The approximate offset from the start of the file or stream in bytes.
    public var offset: Int64
    /// The id of the affected track, or nil if the defect isn't specific to a track.
    public var track: UInt32?

    /// Creates a diagnostic.
    public init(_ code: Code, _ summary: String, at offset: Int64, track: UInt32? = nil) {
        self.code = code
        self.summary = summary
        self.offset = offset
        self.track = track
    }
}
