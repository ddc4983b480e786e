/// Writes `ftyp` and `styp` (ISO/IEC 14496-12, 4.3 and 8.16.2).
enum FileTypeWriter {
    /// The file type of a progressive file.
    static func progressive(for formats: [MediaFormat]) -> [UInt8] {
        var brands: [FourCC] = ["isom", "iso2"]
        if formats.contains(where: { $0.codec == .avc }) { brands.append("avc1") }
        if formats.contains(where: { $0.codec == .av1 }) { brands.append("av01") }
        return box("ftyp", major: "isom", brands: brands + ["mp41"])
    }

    /// The file type of a media initialization section.
    static func initialization() -> [UInt8] { box("ftyp", major: "iso5", brands: ["iso5", "iso6", "mp41"]) }

    private static func box(_ type: FourCC, major: FourCC, brands: [FourCC]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendBox(type) { bytes in
            bytes.append(major)
            bytes.appendBigEndian(UInt32(512))
            for brand in brands { bytes.append(brand) }
        }
        return bytes
    }
}
