#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The content of a scripted resource: given bytes, or seeded random bytes.
///
/// Random bytes depend only on the seed and the offset, and are generated on demand, at about the speed of a copy. A
/// body may have many gigabytes, and any part of it can be checked separately.
public struct ScriptedBody: Sendable {
    private enum Content {
        case bytes
        case random(seed: UInt64)
    }

    /// Random bytes are blocks from a pool. Each block starts with a unique stamp, which reveals misplaced blocks.
    private static let blockSize = 4096
    private static let stampSize = 8
    private static let poolSize = 256 << 10

    /// The number of bytes.
    public let length: Int64
    private let content: Content
    /// The given bytes, or the pool of random bytes.
    private let storage: [UInt8]

    private init(length: Int64, content: Content, storage: [UInt8]) {
        self.length = length
        self.content = content
        self.storage = storage
    }

    /// Returns a body with the given bytes.
    public static func bytes(_ bytes: [UInt8]) -> ScriptedBody {
        ScriptedBody(length: Int64(bytes.count), content: .bytes, storage: bytes)
    }

    /// Returns a body of UTF-8 text.
    public static func text(_ text: String) -> ScriptedBody { bytes(Array(text.utf8)) }

    /// Returns a body of random bytes, which are equal for equal seeds. `length` mustn't be negative.
    public static func random(seed: UInt64, length: Int64) -> ScriptedBody {
        precondition(length >= 0, "a body can't have \(length) bytes")
        var pool = [UInt8](repeating: 0, count: poolSize)
        pool.withUnsafeMutableBytes { pool in
            for index in 0..<poolSize / 8 {
                let word = mix(seed &+ UInt64(index) &* 0x9E37_79B9_7F4A_7C15).littleEndian
                pool.storeBytes(of: word, toByteOffset: index * 8, as: UInt64.self)
            }
        }
        return ScriptedBody(length: length, content: .random(seed: seed), storage: pool)
    }

    /// All bytes.
    public var bytes: [UInt8] { bytes(in: 0..<length) }

    /// Returns the bytes of `range`, which must not begin below 0. Bytes beyond the end are 0xEE.
    public func bytes(in range: Range<Int64>) -> [UInt8] {
        let count = Int(range.upperBound - range.lowerBound)
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            fill(UnsafeMutableRawBufferPointer(buffer), at: range.lowerBound)
            initialized = count
        }
    }

    /// Returns whether `bytes` equal the body's bytes at `offset`; false if they extend beyond the body.
    public func matches(_ bytes: UnsafeRawBufferPointer, at offset: Int64) -> Bool {
        guard offset >= 0, offset + Int64(bytes.count) <= length else { return false }
        var position = 0
        while position < bytes.count {
            let count = min(bytes.count - position, 1 << 20)
            let start = offset + Int64(position)
            let expected = self.bytes(in: start..<start + Int64(count))
            let part = UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
            guard Self.isEqual(part, expected) else { return false }
            position += count
        }
        return true
    }

    /// Returns whether `bytes` equal the body's bytes at `offset`; false if they extend beyond the body.
    public func matches(_ bytes: [UInt8], at offset: Int64 = 0) -> Bool {
        bytes.withUnsafeBytes { matches($0, at: offset) }
    }

    private static func isEqual(_ part: UnsafeRawBufferPointer, _ expected: [UInt8]) -> Bool {
        expected.withUnsafeBytes { expected in
            guard let a = part.baseAddress, let b = expected.baseAddress else { return part.isEmpty }
            return memcmp(a, b, part.count) == 0
        }
    }

    private func fill(_ target: UnsafeMutableRawBufferPointer, at offset: Int64) {
        let count = Int(max(0, min(Int64(target.count), length - offset)))
        let content = UnsafeMutableRawBufferPointer(rebasing: target[..<count])
        switch self.content {
        case .bytes:
            let start = Int(min(offset, length))
            storage.withUnsafeBytes { content.copyMemory(from: .init(rebasing: $0[start..<start + count])) }
        case .random(let seed):
            fillRandom(content, at: offset, seed: seed)
        }
        UnsafeMutableRawBufferPointer(rebasing: target[count...]).initializeMemory(as: UInt8.self, repeating: 0xEE)
    }

    private func fillRandom(_ target: UnsafeMutableRawBufferPointer, at offset: Int64, seed: UInt64) {
        storage.withUnsafeBytes { pool in
            var position = 0
            while position < target.count {
                let (block, within) = (offset + Int64(position)).quotientAndRemainder(dividingBy: Int64(Self.blockSize))
                let start = Int(within)
                let count = min(Self.blockSize - start, target.count - position)
                let hash = Self.mix(seed ^ Self.mix(UInt64(bitPattern: block) &+ 0x1234_5678_9ABC_DEF1))
                let source = Int(hash % UInt64(Self.poolSize - Self.blockSize)) + start
                let part = UnsafeMutableRawBufferPointer(rebasing: target[position..<position + count])
                part.copyMemory(from: UnsafeRawBufferPointer(rebasing: pool[source..<source + count]))
                withUnsafeBytes(of: Self.mix(hash).littleEndian) { stamp in
                    for index in start..<max(start, min(Self.stampSize, start + count)) {
                        part[index - start] = stamp[index]
                    }
                }
                position += count
            }
        }
    }

    /// Returns the output of SplitMix64 for a state.
    static func mix(_ value: UInt64) -> UInt64 {
        var z = value &+ 0x9E37_79B9_7F4A_7C15
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
