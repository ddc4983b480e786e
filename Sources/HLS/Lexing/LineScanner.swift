/// The position of a line in a playlist's bytes.
struct Line {
    var start: Int
    /// The offset of the line end.
    var end: Int
    /// The offset of the next line.
    var next: Int
    /// The line's number, counted from 1.
    var number: Int
}

/// A scanner of lines that end in LF or CRLF (RFC 8216bis §4.1), or in CR, as in playlists from old systems.
struct LineScanner {
    private let bytes: UnsafeRawBufferPointer
    private var position: Int
    private var number = 0

    /// Creates a scanner that starts after a UTF-8 byte order mark, if there is one.
    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        position = LineScanner.hasByteOrderMark(bytes) ? 3 : 0
    }

    static func hasByteOrderMark(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF
    }

    @inline(__always)
    mutating func next() -> Line? {
        guard position < bytes.count else { return nil }
        let start = position
        let end = terminator(from: start)
        var next = end
        if next < bytes.count {
            next += bytes[next] == .carriageReturn && next + 1 < bytes.count && bytes[next + 1] == .lineFeed ? 2 : 1
        }
        position = next
        number += 1
        return Line(start: start, end: end, next: next, number: number)
    }

    /// Returns the offset of the next line end. Compares eight bytes per step.
    @inline(__always)
    private func terminator(from start: Int) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        var index = start
        while index &+ 8 <= bytes.count {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let feeds = word ^ (ones &* UInt64(UInt8.lineFeed))
            let returns = word ^ (ones &* UInt64(UInt8.carriageReturn))
            let hits = (((feeds &- ones) & ~feeds) | ((returns &- ones) & ~returns)) & highs
            if hits != 0 { return index &+ hits.trailingZeroBitCount / 8 }
            index &+= 8
        }
        while index < bytes.count, bytes[index] != .lineFeed, bytes[index] != .carriageReturn { index &+= 1 }
        return index
    }
}

/// The position of a tag's name and value.
struct TagLine {
    /// The name without the number sign.
    var name: Range<Int>
    /// The trimmed text after the colon; nil if there is no colon.
    var value: Range<Int>?
    /// Whether the colon has blanks around it.
    var hasBlanks = false

    /// Finds the tag on a line. Returns nil for a comment or a URI.
    init?(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
        guard bytes.has("#EXT", at: range.lowerBound), range.count >= 4 else { return nil }
        let start = range.lowerBound + 1
        if let colon = bytes.first(.colon, from: start, to: range.upperBound) {
            name = bytes.trimmed(start, colon)
            let value = bytes.trimmed(colon + 1, range.upperBound)
            hasBlanks = name.upperBound != colon || value.lowerBound != colon + 1
            self.value = value
        } else {
            name = bytes.trimmed(start, range.upperBound)
            value = nil
        }
    }
}
