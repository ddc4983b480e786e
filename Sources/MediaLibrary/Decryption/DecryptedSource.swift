internal import CMediaCacheShims
public import MediaContainers

/// A media segment that is decrypted while it's read, from any position and in bounded memory.
///
/// In CBC mode, a block only depends on the previous one; in counter mode, only on its position. Reading may therefore
/// begin anywhere (RFC 8216bis §5.2; NIST SP 800-38A).
public struct DecryptedSource<Source: ByteSource>: ByteSource {
    private static var pieceLength: Int64 { 256 << 10 }
    private static var block: Int64 { Int64(SegmentCipher.blockLength) }

    /// The length of the decrypted segment in bytes.
    public private(set) var length: Int64
    private let source: Source
    private let cipher: SegmentCipher
    private let key: [UInt8]
    private let vector: [UInt8]

    /// Creates a decrypted view of a segment.
    ///
    /// - Parameters:
    ///   - source: The encrypted bytes.
    ///   - initializationVector: The initialization vector, 16 bytes.
    /// - Throws: `ContainerError`: `malformed` if the key, the initialization vector or the segment has a wrong length,
    ///   or the padding is invalid; `limitExceeded` for a segment of 2⁶² bytes or more; and the errors of the source.
    public init(
        _ source: Source, cipher: SegmentCipher, key: [UInt8], initializationVector: [UInt8]
    ) throws(ContainerError) {
        guard key.count == cipher.keyLength else {
            throw ContainerError(
                .malformed, "the key has \(key.count) bytes; \(cipher.rawValue) requires \(cipher.keyLength)",
                advice: "The server may have sent a web page instead")
        }
        guard initializationVector.count == SegmentCipher.blockLength else {
            throw ContainerError(
                .malformed, "the initialization vector has \(initializationVector.count) bytes instead of 16")
        }
        self.source = source
        self.cipher = cipher
        self.key = key
        vector = initializationVector
        // Larger offsets could overflow when rounded up to a block.
        guard source.length < 1 << 62 else {
            throw ContainerError(
                .limitExceeded, "the encrypted segment has \(source.length) bytes, which is implausible")
        }
        guard cipher != .aes256Counter else {
            length = source.length
            return
        }
        guard source.length > 0, source.length % Self.block == 0 else {
            throw ContainerError(
                .malformed, "the encrypted segment has \(source.length) bytes, which isn't a multiple of 16",
                at: source.length)
        }
        length = 0
        let last = try decrypted(source.length - Self.block..<source.length)
        guard let padding = last.last, (1...16).contains(padding),
            last.suffix(Int(padding)).allSatisfy({ $0 == padding })
        else {
            throw ContainerError(
                .malformed, "the decrypted segment has invalid padding", at: source.length,
                advice: "The key is wrong, or the segment is damaged")
        }
        length = source.length - Int64(padding)
    }

    /// Reads decrypted bytes; see `ByteSource`.
    public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ContainerError) -> Int {
        guard offset >= 0, offset < length else { return 0 }
        let end = min(length, offset + Int64(buffer.count))
        var position = offset
        while position < end {
            let start = position / Self.block * Self.block
            let stop = min(
                source.length, (min(end, start + Self.pieceLength) + Self.block - 1) / Self.block * Self.block)
            let clear = try decrypted(start..<stop)
            let from = Int(position - start)
            let count = min(clear.count - from, Int(end - position))
            guard count > 0 else { break }
            clear.withUnsafeBytes { bytes in
                UnsafeMutableRawBufferPointer(rebasing: buffer[Int(position - offset)...])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[from..<from + count]))
            }
            position += Int64(count)
        }
        return Int(position - offset)
    }

    /// Decrypts whole blocks, including padding.
    private func decrypted(_ range: Range<Int64>) throws(ContainerError) -> [UInt8] {
        let limit = Int(Self.pieceLength + 2 * Self.block)
        if cipher == .aes256Counter {
            let bytes = try source.bytes(range, limit: limit)
            return try decrypted(bytes[...], mc_aes_ctr, counter(at: range.lowerBound / Self.block), at: range)
        }
        let begin = max(0, range.lowerBound - Self.block)
        let bytes = try source.bytes(begin..<range.upperBound, limit: limit)
        let previous = range.lowerBound == 0 ? vector : Array(bytes.prefix(SegmentCipher.blockLength))
        return try decrypted(bytes.dropFirst(Int(range.lowerBound - begin)), mc_aes_cbc, previous, at: range)
    }

    private func decrypted(
        _ bytes: ArraySlice<UInt8>, _ mode: mc_aes_mode, _ vector: [UInt8], at range: Range<Int64>
    ) throws(ContainerError) -> [UInt8] {
        var isDecrypted = false
        let clear = [UInt8](unsafeUninitializedCapacity: bytes.count) { output, count in
            isDecrypted = bytes.withUnsafeBufferPointer { input in
                guard let input = input.baseAddress, let output = output.baseAddress else { return bytes.isEmpty }
                return mc_aes(mode, 0, key, key.count, vector, input, bytes.count, output) == 1
            }
            count = isDecrypted ? bytes.count : 0
        }
        guard isDecrypted else {
            throw ContainerError(.malformed, "the segment can't be decrypted", at: range.lowerBound)
        }
        return clear
    }

    /// Returns the counter of a block. Only its last 64 bits are incremented.
    private func counter(at block: Int64) -> [UInt8] {
        let first = vector[8...].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let value = first &+ UInt64(bitPattern: block)
        return vector[..<8] + withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }
}
