/// A QR code (ISO/IEC 18004:2015) with one segment in byte mode and error correction level M, in versions 1 to 10.
struct QRCode: Sendable, Hashable {
    /// The number of modules between a code and its surroundings (§6.3.8).
    static let quietZone = 4

    /// The version, 1 to 10, which determines the size.
    private(set) var version: Int
    /// The number of modules of a side.
    private(set) var size: Int
    /// Whether each module is dark, row by row.
    private(set) var modules: [Bool]
    /// Whether each module belongs to a function pattern or to the format and version information.
    private var isFunction: [Bool]

    /// The error correction of level M (Table 9): the number of correction codewords per block, and the number of data
    /// codewords of each block.
    private struct Correction {
        let codewords: Int
        let blocks: [Int]
    }

    private static let corrections = [
        Correction(codewords: 10, blocks: [16]), Correction(codewords: 16, blocks: [28]),
        Correction(codewords: 26, blocks: [44]), Correction(codewords: 18, blocks: [32, 32]),
        Correction(codewords: 24, blocks: [43, 43]), Correction(codewords: 16, blocks: [27, 27, 27, 27]),
        Correction(codewords: 18, blocks: [31, 31, 31, 31]), Correction(codewords: 22, blocks: [38, 38, 39, 39]),
        Correction(codewords: 22, blocks: [36, 36, 36, 37, 37]),
        Correction(codewords: 26, blocks: [43, 43, 43, 43, 44]),
    ]

    /// The centers of the alignment patterns of each version (Annex E).
    private static let alignments = [
        [], [6, 18], [6, 22], [6, 26], [6, 30], [6, 34], [6, 22, 38], [6, 24, 42], [6, 26, 46], [6, 28, 50],
    ]

    /// Creates the smallest code of a text.
    ///
    /// - Returns: nil if the text has more than 213 bytes.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        let version = (1...Self.corrections.count).first { version in
            let capacity = Self.corrections[version - 1].blocks.reduce(0, +) * 8
            return 4 + Self.countLength(version) + bytes.count * 8 <= capacity
        }
        guard let version else { return nil }
        self.version = version
        size = 17 + 4 * version
        modules = Array(repeating: false, count: size * size)
        isFunction = modules
        drawFunctionPatterns()
        draw(Self.interleaved(Self.dataCodewords(bytes, version), Self.corrections[version - 1]))
        // All masks are equally readable; that with the lowest penalty is the least ambiguous for scanners (§7.8.3).
        let masked = (0..<8).map { mask in
            var code = self
            code.apply(mask: mask)
            return (code: code, penalty: code.penalty)
        }
        if let best = masked.min(by: { $0.penalty < $1.penalty }) { self = best.code }
    }

    /// Whether a module is dark. Modules outside the code are light.
    func isDark(x: Int, y: Int) -> Bool {
        (0..<size).contains(x) && (0..<size).contains(y) && modules[y * size + x]
    }

    // MARK: - Codewords

    /// The number of bits of the length in byte mode (Table 3).
    private static func countLength(_ version: Int) -> Int { version < 10 ? 8 : 16 }

    /// Returns the data codewords: the mode, the length, the bytes, a terminator and padding (§7.4).
    private static func dataCodewords(_ bytes: [UInt8], _ version: Int) -> [UInt8] {
        let capacity = corrections[version - 1].blocks.reduce(0, +)
        var bits: [Bool] = []
        func append(_ value: Int, _ count: Int) {
            for shift in (0..<count).reversed() { bits.append(value >> shift & 1 == 1) }
        }
        append(0b0100, 4)
        append(bytes.count, countLength(version))
        for byte in bytes { append(Int(byte), 8) }
        append(0, min(4, capacity * 8 - bits.count))
        append(0, (8 - bits.count % 8) % 8)
        var codewords = stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
        }
        for index in 0..<capacity - codewords.count { codewords.append(index % 2 == 0 ? 0xEC : 0x11) }
        return codewords
    }

    /// Returns the codewords of all blocks, interleaved: first those of the data, then those of the correction (§7.6).
    private static func interleaved(_ data: [UInt8], _ correction: Correction) -> [UInt8] {
        var blocks: [ArraySlice<UInt8>] = []
        var rest = data[...]
        for length in correction.blocks {
            blocks.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        let corrections = blocks.map { correctionCodewords(of: $0, count: correction.codewords)[...] }
        return interleaved(blocks) + interleaved(corrections)
    }

    private static func interleaved(_ blocks: [ArraySlice<UInt8>]) -> [UInt8] {
        let longest = blocks.map(\.count).max() ?? 0
        return (0..<longest).flatMap { index in
            blocks.compactMap { index < $0.count ? $0[$0.startIndex + index] : nil }
        }
    }

    /// Returns the Reed–Solomon correction codewords of a block: the remainder of its division by the generator
    /// polynomial over GF(2⁸) (§7.5.2).
    static func correctionCodewords(of block: some Sequence<UInt8>, count: Int) -> [UInt8] {
        var generator: [UInt8] = [1]
        var root: UInt8 = 1
        for _ in 0..<count {
            // Multiplies the polynomial, whose highest coefficient is first, by (x - root).
            var product = generator + [0]
            for (index, coefficient) in generator.enumerated() { product[index + 1] ^= multiply(coefficient, root) }
            generator = product
            root = multiply(root, 2)
        }
        var remainder = [UInt8](repeating: 0, count: count)
        for byte in block {
            let factor = byte ^ remainder.removeFirst()
            remainder.append(0)
            for index in 0..<count { remainder[index] ^= multiply(generator[index + 1], factor) }
        }
        return remainder
    }

    /// Returns a product in GF(2⁸) modulo x⁸ + x⁴ + x³ + x² + 1.
    private static func multiply(_ a: UInt8, _ b: UInt8) -> UInt8 {
        var product: UInt8 = 0
        for shift in (0..<8).reversed() {
            product = product << 1 ^ (product >> 7 == 1 ? 0x1D : 0)
            if b >> shift & 1 == 1 { product ^= a }
        }
        return product
    }

    // MARK: - Modules

    private mutating func setFunction(_ x: Int, _ y: Int, _ isDark: Bool) {
        guard (0..<size).contains(x), (0..<size).contains(y) else { return }
        modules[y * size + x] = isDark
        isFunction[y * size + x] = true
    }

    private mutating func drawFunctionPatterns() {
        for index in 0..<size {
            setFunction(6, index, index % 2 == 0)
            setFunction(index, 6, index % 2 == 0)
        }
        // Finder patterns with their separators.
        for (centerX, centerY) in [(3, 3), (size - 4, 3), (3, size - 4)] {
            for y in -4...4 {
                for x in -4...4 {
                    let ring = max(abs(x), abs(y))
                    setFunction(centerX + x, centerY + y, ring != 2 && ring != 4)
                }
            }
        }
        let centers = Self.alignments[version - 1]
        for centerY in centers {
            for centerX in centers {
                // Finder patterns occupy three of the places.
                let isFinder = (centerX == 6 || centerX == centers.last) && (centerY == 6 || centerY == centers.last)
                guard !isFinder || (centerX != 6 && centerY != 6) else { continue }
                for y in -2...2 {
                    for x in -2...2 { setFunction(centerX + x, centerY + y, max(abs(x), abs(y)) != 1) }
                }
            }
        }
        drawFormat(mask: 0)
        drawVersion()
    }

    /// Returns the format information of level M and a mask, as 15 bits (§7.9.1).
    static func formatBits(mask: Int) -> Int {
        // Level M is 00.
        var remainder = mask
        for _ in 0..<10 { remainder = remainder << 1 ^ (remainder >> 9 & 1) * 0x537 }
        return (mask << 10 | remainder) ^ 0x5412
    }

    private mutating func drawFormat(mask: Int) {
        let bits = Self.formatBits(mask: mask)
        func bit(_ index: Int) -> Bool { bits >> index & 1 == 1 }
        for index in 0...5 { setFunction(8, index, bit(index)) }
        setFunction(8, 7, bit(6))
        setFunction(8, 8, bit(7))
        setFunction(7, 8, bit(8))
        for index in 9..<15 { setFunction(14 - index, 8, bit(index)) }
        for index in 0..<8 { setFunction(size - 1 - index, 8, bit(index)) }
        for index in 8..<15 { setFunction(8, size - 15 + index, bit(index)) }
        setFunction(8, size - 8, true)
    }

    /// Returns the version information, as 18 bits (§7.10).
    static func versionBits(_ version: Int) -> Int {
        var remainder = version
        for _ in 0..<12 { remainder = remainder << 1 ^ (remainder >> 11 & 1) * 0x1F25 }
        return version << 12 | remainder
    }

    private mutating func drawVersion() {
        guard version >= 7 else { return }
        let bits = Self.versionBits(version)
        for index in 0..<18 {
            let isDark = bits >> index & 1 == 1
            setFunction(size - 11 + index % 3, index / 3, isDark)
            setFunction(index / 3, size - 11 + index % 3, isDark)
        }
    }

    /// Draws codewords in columns of two modules, from the lower right corner upwards and downwards (§7.7.3).
    private mutating func draw(_ codewords: [UInt8]) {
        var index = 0
        var right = size - 1
        while right >= 1 {
            // The vertical timing pattern isn't part of a column.
            if right == 6 { right = 5 }
            let isUpward = (right + 1) & 2 == 0
            for step in 0..<size {
                let y = isUpward ? size - 1 - step : step
                for x in [right, right - 1] where !isFunction[y * size + x] && index < codewords.count * 8 {
                    modules[y * size + x] = codewords[index / 8] >> (7 - index % 8) & 1 == 1
                    index += 1
                }
            }
            right -= 2
        }
    }

    /// Inverts the modules of a mask pattern (§7.8.2), and draws its format information.
    private mutating func apply(mask: Int) {
        for y in 0..<size {
            for x in 0..<size where !isFunction[y * size + x] {
                let isInverted =
                    switch mask {
                    case 0: (x + y) % 2 == 0
                    case 1: y % 2 == 0
                    case 2: x % 3 == 0
                    case 3: (x + y) % 3 == 0
                    case 4: (x / 3 + y / 2) % 2 == 0
                    case 5: x * y % 2 + x * y % 3 == 0
                    case 6: (x * y % 2 + x * y % 3) % 2 == 0
                    default: ((x + y) % 2 + x * y % 3) % 2 == 0
                    }
                if isInverted { modules[y * size + x].toggle() }
            }
        }
        drawFormat(mask: mask)
    }

    /// The penalty of the mask (§7.8.3): for runs and blocks of one color, for patterns like those of finders, and for
    /// an unequal share of dark modules.
    private var penalty: Int {
        var penalty = 0
        for line in 0..<size {
            penalty += linePenalty((0..<size).map { isDark(x: $0, y: line) })
            penalty += linePenalty((0..<size).map { isDark(x: line, y: $0) })
        }
        for y in 0..<size - 1 {
            for x in 0..<size - 1 {
                let first = isDark(x: x, y: y)
                let isBlock =
                    first == isDark(x: x + 1, y: y) && first == isDark(x: x, y: y + 1)
                    && first == isDark(x: x + 1, y: y + 1)
                if isBlock { penalty += 3 }
            }
        }
        let percent = modules.count { $0 } * 100 / modules.count
        return penalty + abs(percent - 50) / 5 * 10
    }

    /// Returns the penalty of a row or a column.
    private func linePenalty(_ line: [Bool]) -> Int {
        var penalty = 0
        var run = 0
        for (index, isDark) in line.enumerated() {
            run = index > 0 && line[index - 1] == isDark ? run + 1 : 1
            if run == 5 { penalty += 3 } else if run > 5 { penalty += 1 }
        }
        let finder = [true, false, true, true, true, false, true]
        for start in 0...line.count - finder.count where Array(line[start..<start + finder.count]) == finder {
            let isLightBefore = (start - 4..<start).allSatisfy { $0 < 0 || !line[$0] }
            let end = start + finder.count
            let isLightAfter = (end..<end + 4).allSatisfy { $0 >= line.count || !line[$0] }
            if isLightBefore || isLightAfter { penalty += 40 }
        }
        return penalty
    }
}

extension QRCode {
    /// Returns the code for a terminal, with its quiet zone. A character shows two modules, one above the other.
    ///
    /// - Parameter isColored: Whether the text sets its own colors, black on white. Otherwise, characters show light
    ///   modules, so that the code is readable on a dark background, and inverted on a light one.
    func lines(isColored: Bool) -> [String] {
        let range = -Self.quietZone..<size + Self.quietZone
        return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { y in
            let text = range.map { x -> Character in
                let upper = isDark(x: x, y: y)
                // The quiet zone has an even number of rows, and the code an odd one. The lowest row is half of a line.
                let lower = isDark(x: x, y: y + 1)
                return switch (upper == isColored, lower == isColored) {
                case (true, true): "█"
                case (true, false): "▀"
                case (false, true): "▄"
                case (false, false): " "
                }
            }
            // The colors 16 and 231 of the palette of 256 don't depend on the terminal's theme.
            return isColored ? "\u{1B}[38;5;16;48;5;231m\(String(text))\u{1B}[0m" : String(text)
        }
    }
}
