/// What went wrong while reading or writing a container, where, and what can be done about it.
///
/// This is the only error type the library throws. It is a value, so that a parser in a hot loop can be
/// marked with it as a typed error and costs nothing while nothing fails.
public struct ContainerError: Error, Sendable {
    /// The kind of failure, for programs.
    public enum Code: String, Sendable, CaseIterable {
        /// The bytes end before the structure that they began.
        case truncated
        /// A field's value contradicts the standard or another field.
        case malformed
        /// The bytes aren't of this container format.
        case notThisFormat
        /// The structure is legal, and this library can't handle it.
        case unsupported
        /// The samples are encrypted (Common Encryption, SAMPLE-AES, scrambled transport packets).
        case encrypted
        /// A count or a size is larger than the caller's limit or than the bytes that hold it.
        case limitExceeded
        /// A value can't be stored in the field that the output format has for it.
        case unrepresentable
        /// The source of bytes, or the sink, failed; ``ContainerError/cause`` says how.
        case inputOutput
    }

    /// The kind of failure.
    public var code: Code
    /// What was wrong, in words, naming the structure (`stsz: 4000 entries, room for 12`).
    public var what: String
    /// Where: an offset in bytes from the start of the file or stream, where one is known.
    public var offset: Int64?
    /// What the person who sees the error can do.
    public var advice: String?
    /// The error of the source or sink, for ``Code-swift.enum/inputOutput``.
    public var cause: (any Error)?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - what: What was wrong, naming the structure.
    ///   - offset: Bytes from the start of the file or stream.
    ///   - advice: What can be done.
    ///   - cause: The error of the source or sink.
    public init(
        _ code: Code, _ what: String, at offset: Int64? = nil, advice: String? = nil, cause: (any Error)? = nil
    ) {
        self.code = code
        self.what = what
        self.offset = offset
        self.advice = advice
        self.cause = cause
    }
}

extension ContainerError: CustomStringConvertible {
    /// One line: what, where, and what to do.
    public var description: String {
        var line = what
        if let offset { line += " (at byte \(offset))" }
        if let cause { line += ": \(cause)" }
        if let advice { line += ". \(advice)" }
        return line
    }
}

/// Something wrong in a container that reading went past.
public struct ContainerDiagnostic: Sendable, Hashable {
    /// The kind of damage, for programs.
    public enum Code: String, Sendable, CaseIterable {
        /// Bytes that belong to no packet were passed over.
        case skippedBytes
        /// Packets of a transport stream are missing: the continuity counter jumped.
        case discontinuity
        /// A scrambled transport packet, whose payload can't be read.
        case scrambled
        /// The receiver marked a transport packet as damaged.
        case transportError
        /// A table whose checksum is wrong, or that contradicts itself, was left out.
        case damagedTable
        /// A PES packet is shorter than it says, or its header can't be read.
        case damagedPacket
        /// Bytes of an elementary stream that belong to no frame were left out.
        case damagedFrame
        /// A frame before the first time stamp was left out.
        case missingTimestamp
        /// A time stamp that contradicts those before and after it was replaced.
        case damagedTimestamp
        /// A frame or a section was too long to be one, and was left out.
        case tooLong
    }

    /// The kind of damage.
    public var code: Code
    /// What was wrong, in words.
    public var what: String
    /// Where: bytes from the start of the file or stream, about.
    public var offset: Int64
    /// The track's id where it is one track's.
    public var track: UInt32?

    /// Creates a diagnostic.
    public init(_ code: Code, _ what: String, at offset: Int64, track: UInt32? = nil) {
        self.code = code
        self.what = what
        self.offset = offset
        self.track = track
    }
}
