/// Conversion from UTF-16. RFC 8216bis §4.1 requires UTF-8, but some editors and scripts save playlists in UTF-16.
package enum UTF16Text {
    /// Returns the text in UTF-8; nil for bytes that don't begin with a UTF-16 byte order mark.
    package static func utf8(_ bytes: some RandomAccessCollection<UInt8>) -> [UInt8]? {
        guard let first = bytes.first, let second = bytes.dropFirst().first else { return nil }
        let isBigEndian = first == 0xFE && second == 0xFF
        guard isBigEndian || first == 0xFF && second == 0xFE else { return nil }
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2)
        var high: UInt8?
        for byte in bytes.dropFirst(2) {
            guard let first = high else {
                high = byte
                continue
            }
            units.append(isBigEndian ? UInt16(first) << 8 | UInt16(byte) : UInt16(byte) << 8 | UInt16(first))
            high = nil
        }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }
}
