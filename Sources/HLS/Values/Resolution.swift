/// A width and height in pixels (RFC 8216bis §4.2: decimal-resolution).
public struct Resolution: Sendable, Hashable, CustomStringConvertible {
    /// The width in pixels.
    public var width: Int
    /// The height in pixels.
    public var height: Int

    /// Creates a resolution.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Parses `1280x720` or, as some servers write it, `1280X720`. Returns nil for any other text, such as numbers with
    /// signs.
    public init?(_ text: String) {
        let parts = text.split(omittingEmptySubsequences: false) { $0 == "x" || $0 == "X" }
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.allSatisfy(\.isDigit) }), let width = Int(parts[0]),
            let height = Int(parts[1])
        else { return nil }
        self.init(width: width, height: height)
    }

    /// The resolution in playlist syntax.
    public var description: String { "\(width)x\(height)" }
}
