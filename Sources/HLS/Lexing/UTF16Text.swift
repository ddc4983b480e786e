/// Text in UTF-16, which some editors and scripts save playlists in, against RFC 8216bis, section 4.1.
package enum UTF16Text {
    /// The text as UTF-8; nil where it doesn't begin with the byte order mark of UTF-16.
    package static func utf8(_ bytes: some RandomAccessCollection<UInt8>) -> [UInt8]? {
        guard let first = bytes.first, let second = bytes.dropFirst().first else { return nil }
        let isBigEndian = first == 0xFE && second == 0xFF
        guard isBigEndian || first == 0xFF && second == 0xFE else { return nil }
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2)
        var high: UInt8?
        for byte in bytes.dropFirst(2) {
            guard let held = high else {
                high = byte
                continue
            }
            units.append(isBigEndian ? UInt16(held) << 8 | UInt16(byte) : UInt16(byte) << 8 | UInt16(held))
            high = nil
        }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }
}
