/// The syntax of EXTINF's value (RFC 8216bis, section 4.4.4.1).
enum EXTINF {
    /// The comma between the duration and the title.
    ///
    /// IPTV lists put attributes before it, whose quoted strings may hold commas.
    static func comma(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int? {
        var isQuoted = false
        var first: Int?
        for index in range {
            if bytes[index] == .quote { isQuoted.toggle() }
            guard bytes[index] == .comma else { continue }
            if !isQuoted { return index }
            first = first ?? index
        }
        return isQuoted ? first : nil
    }
}
