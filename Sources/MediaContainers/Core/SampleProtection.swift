/// How a track's samples are encrypted (ISO/IEC 23001-7; the boxes `sinf`, `schm`, `tenc`).
public struct SampleProtection: Sendable, Hashable {
    /// The scheme: `cenc`, `cbcs`, `cens`, `cbc1`, `piff`, or what the file says.
    public var scheme: FourCC
    /// The default key's id, 16 bytes, or nil where the file has none.
    public var defaultKeyID: [UInt8]?
    /// The size of each sample's initialization vector in bytes: 0, 8 or 16.
    public var initializationVectorSize: Int

    /// Creates a description of how samples are encrypted.
    public init(scheme: FourCC, defaultKeyID: [UInt8]? = nil, initializationVectorSize: Int = 0) {
        self.scheme = scheme
        self.defaultKeyID = defaultKeyID
        self.initializationVectorSize = initializationVectorSize
    }
}
