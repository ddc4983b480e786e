/// How much of an asset is fetched before somebody plays it.
public enum PreloadAmount: Sendable, Hashable {
    /// The first bytes of a file, or of a stream's segments.
    case bytes(Int64)
    /// The first seconds. Of a file, whose rate nobody knows, 1 MiB each.
    case seconds(Double)
    /// The first segments of each playlist of a stream. Of a file, which has none, 1 MiB each.
    case segments(Int)

    /// What a second of a file counts as.
    static let bytesPerSecond = 1 << 20

    /// How many bytes of a file this means.
    var bytesOfFile: Int64 {
        switch self {
        case .bytes(let count): max(0, count)
        case .seconds(let seconds): Int64(min(max(0, seconds) * Double(Self.bytesPerSecond), 1e15))
        case .segments(let count): Int64(clamping: max(0, count)).multipliedReportingOverflow(by: 1 << 20).partialValue
        }
    }
}
