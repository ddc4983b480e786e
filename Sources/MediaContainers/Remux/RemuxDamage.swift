/// Damage of transport streams that a remuxer went past: what it made lacks something there.
public struct RemuxDamage: Sendable, Hashable {
    /// Damage that is no farther apart is one place: what is lost at once is lost of several streams.
    private static let span: Int64 = 90_000

    /// How many places in the output are touched.
    public private(set) var places = 0
    /// When the first of them is, in seconds from the output's beginning, about; nil where nothing is damaged.
    public private(set) var first: Double?
    /// How often each kind was found.
    public private(set) var kinds: [ContainerDiagnostic.Code: Int] = [:]
    private var last: Int64?

    /// No damage.
    public init() {}

    /// Takes damage down.
    ///
    /// - Parameter time: When in the output, in ticks of 90 kHz.
    mutating func add(_ code: ContainerDiagnostic.Code, at time: Int64) {
        switch code {
        case .discontinuity, .skippedBytes, .transportError, .damagedTable, .damagedTimestamp: break
        // A stream that was cut begins and ends inside of frames.
        case .scrambled, .damagedPacket, .damagedFrame, .missingTimestamp, .tooLong: return
        }
        kinds[code, default: 0] += 1
        if first == nil { first = Double(time) / 90_000 }
        if last.map({ time.addingClamped(-$0).magnitude >= Self.span.magnitude }) ?? true { places += 1 }
        last = time
    }
}

/// A segment of which something couldn't be carried over.
public struct SegmentDamage: Sendable {
    /// The first obstacle in the segment.
    public var error: ContainerError
    /// Whether the rest of the segment wasn't read.
    public var isCutShort: Bool
    /// Whether the segment gave no samples at all.
    public var isEmpty: Bool

    /// Damage of a segment.
    public init(error: ContainerError, isCutShort: Bool, isEmpty: Bool) {
        self.error = error
        self.isCutShort = isCutShort
        self.isEmpty = isEmpty
    }
}
