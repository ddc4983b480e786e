/// The widths of characters on a terminal (Unicode Standard Annex #11).
extension Character {
    /// The number of columns: two for wide East Asian characters and emoji, none for combining marks.
    var columns: Int {
        var columns = 0
        for scalar in unicodeScalars {
            // The variation selector requests the emoji form of the preceding scalar.
            if scalar == "\u{FE0F}" || scalar.isWide { return 2 }
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark, .format: break
            default: columns = 1
            }
        }
        return columns
    }
}

extension StringProtocol {
    var columns: Int { reduce(0) { $0 + $1.columns } }

    /// Returns the longest prefix that fits into a number of columns.
    func prefix(columns: Int) -> SubSequence {
        var left = columns
        return prefix { character in
            left -= character.columns
            return left >= 0
        }
    }

    /// Returns the longest suffix that fits into a number of columns.
    func suffix(columns: Int) -> SubSequence {
        var (left, start) = (columns, endIndex)
        while start > startIndex {
            let before = index(before: start)
            left -= self[before].columns
            guard left >= 0 else { break }
            start = before
        }
        return self[start...]
    }
}

extension Unicode.Scalar {
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18AFF, 0x1AFF0...0x1B2FF, 0x20000...0x3FFFD,
    ]

    fileprivate var isWide: Bool {
        guard value >= 0x1100 else { return false }
        return properties.isEmojiPresentation || Self.wide.contains { $0.contains(value) }
    }
}
