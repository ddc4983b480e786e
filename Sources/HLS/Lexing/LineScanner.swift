/// One line of a playlist, as offsets into its bytes.
struct Line {
    /// The first byte of the line.
    var start: Int
    /// One past the last byte, the line's terminator left out.
    var end: Int
    /// One past the terminator: where the next line starts.
    var next: Int
    /// Counted from 1.
    var number: Int
}

/// Splits bytes into lines ended by LF, CRLF or CR.
///
/// A lone CR ends a line although RFC 8216bis, section 4.1, names only LF and CRLF: playlists written on old
/// systems have it, and no URI holds one.
struct LineScanner {
    private let bytes: UnsafeRawBufferPointer
    private var position: Int
    private var number = 0

    /// Starts after a UTF-8 byte order mark, where there is one.
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

    /// Looks at eight bytes at a time: most of a long playlist is spent here.
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
