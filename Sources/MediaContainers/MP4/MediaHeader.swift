/// Fields that `mvhd` and `mdhd` share (ISO/IEC 14496-12, 8.2.2 and 8.4.2).
enum MediaHeader {
    /// Reads a timescale: 1 to 2³¹ - 1.
    static func timescale(_ reader: inout ByteReader, _ box: FourCC) throws(ContainerError) -> Int32 {
        let place = reader.offset
        let value = try reader.uint32()
        guard value > 0, let timescale = Int32(exactly: value) else {
            throw ContainerError(.malformed, "\(box): a timescale of \(value)", at: place)
        }
        return timescale
    }

    /// Reads a duration; nil is unknown: all ones, or one beyond the bounds of ``Timescale``.
    static func duration(
        _ reader: inout ByteReader, version: UInt8, timescale: Int32
    ) throws(ContainerError) -> Int64? {
        let value: UInt64
        if version == 1 {
            value = try reader.uint64()
        } else {
            let short = try reader.uint32()
            value = short == .max ? .max : UInt64(short)
        }
        return Int64(exactly: value).flatMap { Timescale.isInBounds($0, of: timescale) ? $0 : nil }
    }

    /// The language of `mdhd`: three letters of five bits each, or one of QuickTime's numbers.
    static func language(_ packed: UInt16) -> String? {
        guard packed >= 0x400 else { return LanguageCode.ofMacintosh(packed) }
        guard packed != 0x7FFF else { return nil }
        var text = ""
        for shift in [10, 5, 0] as [UInt16] {
            let letter = UInt8(packed >> shift & 0x1F) + 0x60
            guard (0x61...0x7A).contains(letter) else { return nil }
            text.unicodeScalars.append(Unicode.Scalar(letter))
        }
        return text
    }
}
