/// The shape of a pixel: its width to its height (ISO/IEC 14496-10, E.2.1; 14496-12, 12.1.4.1).
public struct PixelAspectRatio: Sendable, Hashable {
    /// The relative width, at least 1.
    public var horizontal: UInt32
    /// The relative height, at least 1.
    public var vertical: UInt32

    /// Creates a ratio in lowest terms; nil where a part is 0, which says nothing.
    public init?(_ horizontal: Int, _ vertical: Int) {
        guard let width = UInt32(exactly: horizontal), let height = UInt32(exactly: vertical), width > 0, height > 0
        else { return nil }
        var divisor = width
        var rest = height
        while rest != 0 { (divisor, rest) = (rest, divisor % rest) }
        self.horizontal = width / divisor
        self.vertical = height / divisor
    }

    /// A `pasp` box; empty for square pixels, which need none.
    var box: [UInt8] {
        guard horizontal != vertical else { return [] }
        var bytes: [UInt8] = []
        bytes.appendBigEndian(16 as UInt32)
        bytes.append("pasp" as FourCC)
        bytes.appendBigEndian(horizontal)
        bytes.appendBigEndian(vertical)
        return bytes
    }
}
