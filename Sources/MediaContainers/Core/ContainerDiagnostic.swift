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
