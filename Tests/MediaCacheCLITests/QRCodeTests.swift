import Testing

@testable import MediaCacheCLI

/// Tests of QR codes against the vectors of ISO/IEC 18004:2015. An acceptance test decodes them with another program.
struct QRCodeTests {
    /// The example of Annex I.
    @Test func correctionMatchesExampleOfStandard() {
        let data: [UInt8] = [
            0x10, 0x20, 0x0C, 0x56, 0x61, 0x80, 0xEC, 0x11, 0xEC, 0x11, 0xEC, 0x11, 0xEC, 0x11, 0xEC, 0x11,
        ]
        #expect(
            QRCode.correctionCodewords(of: data, count: 10)
                == [0xA5, 0x24, 0xD4, 0xC1, 0xED, 0x36, 0xC7, 0x87, 0x2C, 0x55])
    }

    /// The values of Table C.1 for level M, and those of Table D.1 for the supported versions.
    @Test func formatAndVersionMatchTables() {
        #expect(
            (0..<8).map(QRCode.formatBits)
                == [0x5412, 0x5125, 0x5E7C, 0x5B4B, 0x45F9, 0x40CE, 0x4F97, 0x4AA0])
        #expect(QRCode.versionBits(7) == 0x07C94 && QRCode.versionBits(8) == 0x085BC)
        #expect(QRCode.versionBits(9) == 0x09A99 && QRCode.versionBits(10) == 0x0A4D3)
    }

    /// The capacities of level M in byte mode (Table 7).
    @Test(arguments: zip(1...10, [14, 26, 42, 62, 84, 106, 122, 152, 180, 213]))
    func choosesSmallestVersion(_ version: Int, _ capacity: Int) throws {
        let code = try #require(QRCode(String(repeating: "a", count: capacity)))
        #expect(code.version == version && code.size == 17 + 4 * version)
        #expect(QRCode(String(repeating: "a", count: capacity + 1))?.version == (version < 10 ? version + 1 : nil))
    }

    @Test func drawsFinderTimingAndDarkModule() throws {
        let code = try #require(QRCode("http://192.168.1.20:9479/#token=abc"))
        let finder = ["#######", "#.....#", "#.###.#", "#.###.#", "#.###.#", "#.....#", "#######"]
        for (left, top) in [(0, 0), (code.size - 7, 0), (0, code.size - 7)] {
            for (y, row) in finder.enumerated() {
                let found = (0..<7).map { code.isDark(x: left + $0, y: top + y) ? "#" : "." }.joined()
                #expect(found == row)
            }
        }
        for index in 8..<code.size - 8 {
            #expect(code.isDark(x: index, y: 6) == (index % 2 == 0))
            #expect(code.isDark(x: 6, y: index) == (index % 2 == 0))
        }
        #expect(code.isDark(x: 8, y: code.size - 8))
    }

    /// Reads a code back: the format, the mask and the codewords, whose correction is checked block by block.
    @Test(arguments: [1, 14, 15, 43, 70, 78, 100, 120, 140, 170, 200, 213])
    func containsTextInCorrectedBlocks(_ length: Int) throws {
        let text = String((0..<length).map { Character(UnicodeScalar(UInt8(33 + $0 * 7 % 90))) })
        let code = try #require(QRCode(text))
        #expect(try QRReader(code).text() == text)
    }

    @Test func linesShowQuietZoneAndBothPolarities() throws {
        let code = try #require(QRCode("http://192.168.1.20:9479/"))
        let side = code.size + 2 * QRCode.quietZone
        let plain = code.lines(isColored: false)
        #expect(plain.count == (side + 1) / 2 && plain.allSatisfy { $0.count == side })
        // Light modules are drawn, and the quiet zone is light.
        #expect(plain.prefix(2).allSatisfy { $0.allSatisfy { $0 == "█" } })
        let colored = code.lines(isColored: true)
        #expect(colored.allSatisfy { $0.hasPrefix("\u{1B}[38;5;16;48;5;231m") && $0.hasSuffix("\u{1B}[0m") })
        #expect(colored[0].contains(String(repeating: " ", count: side)))
        for (y, pair) in zip(plain, colored).enumerated() {
            let shown = pair.1.dropFirst("\u{1B}[38;5;16;48;5;231m".count).dropLast("\u{1B}[0m".count)
            for (x, characters) in zip(pair.0, shown).enumerated() {
                let dark = (0..<2).map { code.isDark(x: x - QRCode.quietZone, y: 2 * y + $0 - QRCode.quietZone) }
                let (full, none, upper, lower): (Character, Character, Character, Character) = ("█", " ", "▀", "▄")
                let expected =
                    switch (dark[0], dark[1]) {
                    case (true, true): (none, full)
                    case (true, false): (lower, upper)
                    case (false, true): (upper, lower)
                    case (false, false): (full, none)
                    }
                #expect(characters == expected)
            }
        }
    }
}

/// A reader of undamaged codes, which follows the reading order of the standard.
private struct QRReader {
    private let code: QRCode
    private let mask: Int

    init(_ code: QRCode) throws {
        self.code = code
        // The format information next to the upper left finder pattern, the highest bit first.
        var places = (0...5).map { (x: $0, y: 8) }
        places += [(x: 7, y: 8), (x: 8, y: 8), (x: 8, y: 7)]
        places += (0...5).reversed().map { (x: 8, y: $0) }
        let bits = places.reduce(0) { $0 << 1 | (code.isDark(x: $1.x, y: $1.y) ? 1 : 0) }
        mask = try #require((0..<8).first { QRCode.formatBits(mask: $0) == bits })
    }

    /// Whether a module belongs to a function pattern, by the geometry of the version.
    private func isFunction(_ x: Int, _ y: Int) -> Bool {
        let size = code.size
        if x == 6 || y == 6 { return true }
        if (x < 9 && y < 9) || (x > size - 9 && y < 9) || (x < 9 && y > size - 9) { return true }
        if code.version >= 7, (x > size - 12 && y < 6) || (y > size - 12 && x < 6) { return true }
        guard code.version > 1 else { return false }
        let last = [18, 22, 26, 30, 34, 38, 42, 46, 50][code.version - 2]
        let centers = code.version < 7 ? [6, last] : [6, (6 + last) / 2, last]
        return centers.contains { centerX in
            centers.contains { centerY in
                let isFinder = [(6, 6), (6, last), (last, 6)].contains { $0 == (centerX, centerY) }
                return !isFinder && abs(x - centerX) <= 2 && abs(y - centerY) <= 2
            }
        }
    }

    private func isInverted(_ x: Int, _ y: Int) -> Bool {
        let (i, j) = (y, x)
        return switch mask {
        case 0b000: (i + j) % 2 == 0
        case 0b001: i % 2 == 0
        case 0b010: j % 3 == 0
        case 0b011: (i + j) % 3 == 0
        case 0b100: (i / 2 + j / 3) % 2 == 0
        case 0b101: (i * j) % 2 + (i * j) % 3 == 0
        case 0b110: ((i * j) % 2 + (i * j) % 3) % 2 == 0
        default: ((i + j) % 2 + (i * j) % 3) % 2 == 0
        }
    }

    private func codewords() -> [UInt8] {
        var bits: [Bool] = []
        var isUpward = true
        let columns = Array(stride(from: code.size - 1, to: 6, by: -2)) + Array(stride(from: 5, to: 0, by: -2))
        for column in columns {
            for step in 0..<code.size {
                let y = isUpward ? code.size - 1 - step : step
                for x in [column, column - 1] where !isFunction(x, y) {
                    bits.append(code.isDark(x: x, y: y) != isInverted(x, y))
                }
            }
            isUpward.toggle()
        }
        return stride(from: 0, to: bits.count - bits.count % 8, by: 8).map { start in
            bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
        }
    }

    func text() throws -> String {
        // The number of blocks, and of correction codewords of each, by version.
        let (blockCount, correctionLength) = [
            (1, 10), (1, 16), (1, 26), (2, 18), (2, 24), (4, 16), (4, 18), (4, 22), (5, 22), (5, 26),
        ][code.version - 1]
        let all = codewords()
        let dataLength = all.count - blockCount * correctionLength
        let short = dataLength / blockCount
        let longBlocks = dataLength % blockCount
        var blocks = [[UInt8]](repeating: [], count: blockCount)
        var rest = all[...]
        for index in 0...short {
            for block in 0..<blockCount where index < short || block >= blockCount - longBlocks {
                blocks[block].append(rest.removeFirst())
            }
        }
        var corrections = [[UInt8]](repeating: [], count: blockCount)
        for _ in 0..<correctionLength {
            for block in 0..<blockCount { corrections[block].append(rest.removeFirst()) }
        }
        for (block, correction) in zip(blocks, corrections) {
            #expect(QRCode.correctionCodewords(of: block, count: correctionLength) == correction)
        }
        let data = blocks.flatMap { $0 }
        let bits = data.flatMap { byte in (0..<8).reversed().map { byte >> $0 & 1 } }
        func number(_ start: Int, _ count: Int) -> Int { bits[start..<start + count].reduce(0) { $0 << 1 | Int($1) } }
        #expect(number(0, 4) == 0b0100)
        let lengthBits = code.version < 10 ? 8 : 16
        let length = number(4, lengthBits)
        let bytes = (0..<length).map { UInt8(number(4 + lengthBits + $0 * 8, 8)) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
