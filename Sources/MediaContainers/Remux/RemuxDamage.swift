/// Damage that a remuxer skipped or repaired. The output lacks the damaged media, except for damaged timestamps, which
/// are replaced.
public struct RemuxDamage: Sendable, Hashable {
    /// Damage within this time, in 90 kHz ticks, counts as one place, because a single loss affects several streams.
    private static let span: Int64 = 90_000

    /// The number of damaged places in the output.
    public private(set) var places = 0
    /// The approximate time of the first place in seconds from the start of the output, or nil if there is no damage.
    public private(set) var first: Double?
    /// The number of defects of each kind, without those that occur at any cut of a stream.
    public private(set) var kinds: [ContainerDiagnostic.Code: Int] = [:]
    private var last: Int64?

    /// Creates a record without damage.
    public init() {}

    /// Adds a defect at a time in the output in 90 kHz ticks.
    mutating func add(_ code: ContainerDiagnostic.Code, at time: Int64) {
        switch code {
        case .discontinuity, .skippedBytes, .transportError, .damagedTable, .damagedTimestamp: break
        // A cut stream begins and ends in the middle of a frame, so these defects don't count. Scrambling is an error.
        case .scrambled, .damagedPacket, .damagedFrame, .missingTimestamp, .tooLong: return
        }
        kinds[code, default: 0] += 1
        if first == nil { first = Double(time) / 90_000 }
        if last.map({ time.addingClamped(-$0).magnitude >= Self.span.magnitude }) ?? true { places += 1 }
        last = time
    }
}

/// Damage in a segment that caused samples to be omitted.
public struct SegmentDamage: Sendable {
    /// The first error in the segment.
    public var error: ContainerError
    /// Whether the rest of the segment wasn't read.
    public var isTruncated: Bool
    /// Whether no samples were read from the segment.
    public var isEmpty: Bool

    /// Creates a description of damage.
    public init(error: ContainerError, isTruncated: Bool, isEmpty: Bool) {
        self.error = error
        self.isTruncated = isTruncated
        self.isEmpty = isEmpty
    }
}
