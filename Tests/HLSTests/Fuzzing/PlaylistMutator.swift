import HLS
import TestSupport

/// A generator that randomly mutates valid playlists.
struct PlaylistMutator {
    private let seeds: [[UInt8]]
    private var random: SeededGenerator

    /// Text that is likely to break parsers: syntax fragments, and numbers at their limits.
    private static let tokens: [[UInt8]] =
        PlaylistTag.allCases.map { Array("\n#\($0.rawValue):".utf8) }
        + [
            "\n", "\r", "\r\n", "\u{FEFF}", "\"", ",", "=", ":", "@", "#", " ", "\t", "{$", "}", "{$a}", "\0", "-1",
            "0", "0x", "0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF", "1.", ".5", "-0", "9223372036854775807",
            "18446744073709551616", "-9223372036854775808", "0.0000000000000000000001", "1e9", "NaN", "NONE", "YES",
            "1x1", "10@10", "10@",
            "\n#EXTINF:10,\nx.ts\n", "\n#EXT-X-DEFINE:NAME=\"a\",VALUE=\"{$a}b\"\n", "METHOD=NONE", "URI=\"u\"",
            "\n#EXT-X-KEY:METHOD=AES-128,URI=\"k\",KEYFORMAT=\"f\"\n", "\n#EXT-X-MAP:URI=\"m\"\n", "#EXTM3U\n",
            "2024-02-29T23:59:60.999999999+14:00", "BYTERANGE=\"1@2\"", "\n#EXT-X-SKIP:SKIPPED-SEGMENTS=3\n", "é",
            "\u{1F3AC}",
        ].map { Array($0.utf8) } + [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0x1F, 0x8B], [0xFE, 0xFF]]

    init(seeds: [[UInt8]], seed: UInt64) {
        self.seeds = seeds
        random = SeededGenerator(seed: seed)
    }

    mutating func next() -> [UInt8] {
        var bytes = seeds.randomElement(using: &random) ?? []
        for _ in 0..<Int.random(in: 1...6, using: &random) { mutate(&bytes) }
        return bytes
    }

    private mutating func mutate(_ bytes: inout [UInt8]) {
        let position = Int.random(in: 0...bytes.count, using: &random)
        let end = min(bytes.count, position + Int.random(in: 0...40, using: &random))
        switch Int.random(in: 0..<8, using: &random) {
        case 0 where position < bytes.count: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: bytes.removeSubrange(position..<end)
        case 2: bytes.insert(contentsOf: Array(bytes[position..<end]), at: position)
        case 3: bytes.removeSubrange(position...)
        case 4: moveLine(&bytes)
        case 5:
            guard let other = seeds.randomElement(using: &random), !other.isEmpty else { return }
            let start = Int.random(in: 0..<other.count, using: &random)
            let length = Int.random(in: 1...400, using: &random)
            bytes.insert(contentsOf: other[start..<min(other.count, start + length)], at: position)
        default:
            guard let token = Self.tokens.randomElement(using: &random) else { return }
            bytes.insert(contentsOf: token, at: position)
        }
    }

    private mutating func moveLine(_ bytes: inout [UInt8]) {
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Array($0) }
        guard lines.count > 1 else { return }
        let line = lines.remove(at: Int.random(in: 0..<lines.count, using: &random))
        lines.insert(line, at: Int.random(in: 0...lines.count, using: &random))
        bytes = Array(lines.joined(separator: [UInt8(ascii: "\n")]))
    }
}
