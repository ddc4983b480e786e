/// What tells an MP4 or QuickTime file from others.
public enum MP4Format {
    /// The types that a file or segment can begin with.
    static let firstTypes: Set<FourCC> = [
        "ftyp", "styp", "moov", "moof", "mdat", "free", "skip", "wide", "sidx", "emsg", "prft", "pdin", "meta", "uuid",
        "ssix", "pnot", "udta",
    ]

    /// Whether bytes from the start of a file look like MP4, QuickTime or a segment of them.
    ///
    /// - Parameter prefix: The first bytes, 8 at least.
    public static func isRecognised(_ prefix: UnsafeRawBufferPointer) -> Bool {
        var reader = ByteReader(prefix)
        guard let size = try? reader.uint32(), let type = try? reader.fourCC() else { return false }
        return (size >= 8 || size == 1 || size == 0 && type == "mdat") && firstTypes.contains(type)
    }
}
