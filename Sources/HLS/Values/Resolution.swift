/// A decimal-resolution: width and height in pixels (RFC 8216bis, section 4.2).
public struct Resolution: Sendable, Hashable, CustomStringConvertible {
    /// Pixels across.
    public var width: Int
    /// Pixels down.
    public var height: Int

    /// A resolution.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Reads `1280x720`; an upper-case X, which some servers write, is taken too.
    public init?(_ text: String) {
        let parts = text.split(omittingEmptySubsequences: false) { $0 == "x" || $0 == "X" }
        guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]), width >= 0, height >= 0 else {
            return nil
        }
        self.init(width: width, height: height)
    }

    /// The resolution as a playlist writes it.
    public var description: String { "\(width)x\(height)" }
}
