import MediaContainers
import TestSupport
import Testing

@testable import MediaLibrary

struct SegmentWrappingTests {
    private func find(_ bytes: [UInt8], isEncrypted: Bool = false) -> SegmentWrapping {
        guard SegmentWrapping.mayBegin(bytes) else { return .none }
        return SegmentWrapping.find(
            front: Array(bytes.prefix(SegmentWrapping.frontLength)), length: Int64(bytes.count),
            isEncrypted: isEncrypted)
    }

    private func unwrapped(_ bytes: [UInt8], isEncrypted: Bool = false) throws -> [UInt8] {
        try UnwrappedSource(MemorySource(bytes), isEncrypted: isEncrypted).contents
    }

    @Test func findsMediaAfterPicture() throws {
        let length = WrappedSample.png.count
        let fragment = WrappedSample.box("moof", 100) + WrappedSample.box("mdat", 5000)
        for media in [
            WrappedSample.packets(50), WrappedSample.packets(2), fragment, WrappedSample.box("ftyp", 16) + fragment,
            Array("ID3".utf8) + [UInt8](repeating: 0, count: 100),
        ] {
            #expect(find(WrappedSample.png + media) == .image(length: length))
            #expect(try unwrapped(WrappedSample.png + media) == media)
        }
    }

    /// An image that is truncated, malformed or followed by padding precedes the packets.
    @Test func findsMediaAfterIncompletePicture() throws {
        let media = WrappedSample.packets(20)
        let bitmap: [UInt8] = Array("BM".utf8) + [70, 0, 0, 0] + [UInt8](repeating: 1, count: 64)
        for front in [
            Array(WrappedSample.png.prefix(8)), Array(WrappedSample.png.prefix(30)),
            WrappedSample.png + [UInt8](repeating: 255, count: 1000), [0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3, 0xFF, 0xD9],
            Array("GIF89a".utf8) + [1, 2, 0, 0x3B], bitmap,
        ] {
            #expect(find(front + media) == .image(length: front.count))
            #expect(try unwrapped(front + media) == media)
        }
    }

    @Test func keepsUnwrappedSegments() throws {
        var random = SeededGenerator(seed: 9)
        let noise = (0..<300_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        for bytes in [
            WrappedSample.png, WrappedSample.png + [0x47, 1, 2], WrappedSample.png + noise,
            [0xFF, 0xD8, 0xFF, 0xE0] + noise + [0xFF, 0xD9], WrappedSample.packets(9),
            WrappedSample.box("styp", 16) + WrappedSample.png + WrappedSample.packets(20), noise, [], [0x89],
            [0x1F, 0x8B], Array(WrappedSample.png.prefix(8)),
        ] {
            #expect(find(bytes) == .none)
            #expect(try unwrapped(bytes) == bytes)
        }
    }

    /// Encrypted media after an image is recognized only by a length of whole blocks.
    @Test func findsCiphertextAfterPicture() throws {
        var random = SeededGenerator(seed: 5)
        let cipher = (0..<16 * 100).map { _ in UInt8.random(in: 0...255, using: &random) }
        #expect(find(WrappedSample.png + cipher, isEncrypted: true) == .image(length: WrappedSample.png.count))
        #expect(find(Array(WrappedSample.png.prefix(8)) + cipher, isEncrypted: true) == .image(length: 8))
        #expect(find(WrappedSample.png + cipher) == .none)
        #expect(find(WrappedSample.png + cipher.dropLast(), isEncrypted: true) == .none)
        #expect(find(cipher, isEncrypted: true) == .none)
        #expect(find(WrappedSample.png, isEncrypted: true) == .none)
    }

    @Test func inflatesCompressedSegment() throws {
        let media = WrappedSample.packets(1000)
        let compressed = CompressedSample.stored(media)
        #expect(find(compressed) == .gzip)
        #expect(try unwrapped(compressed) == media)
        #expect(try UnwrappedSource(MemorySource(compressed)).wrapping == .gzip)
        // A damaged segment is an error, unless it could be ciphertext that only looks compressed.
        let cut = Array(compressed.dropLast(9))
        #expect(throws: ContainerError.self) { try unwrapped(cut) }
        #expect(try unwrapped(cut, isEncrypted: true) == cut)
    }

    @Test func readsAnyRange() throws {
        let media = WrappedSample.packets(30)
        let source = try UnwrappedSource(MemorySource(WrappedSample.png + media))
        #expect(source.length == Int64(media.count))
        #expect(try source.bytes(100..<1000, limit: 1000) == Array(media[100..<1000]))
        #expect(throws: ContainerError.self) {
            try source.bytes(Int64(media.count) - 1..<Int64(media.count) + 1, limit: 10)
        }
    }

    /// Random bytes cause no trap, and a detected image always ends within the segment.
    @Test func acceptsAnyBytes() {
        var random = SeededGenerator(seed: 77)
        let starts: [[UInt8]] = [
            Array(WrappedSample.png.prefix(8)), [0xFF, 0xD8, 0xFF], Array("GIF8".utf8), Array("BM".utf8),
            Array("RIFF\0\0\0\0WEBP".utf8), [0x1F, 0x8B, 8, 0],
        ]
        for round in 0..<20_000 {
            let count = Int.random(in: 0...600, using: &random)
            var bytes = starts[round % starts.count]
            for _ in 0..<count {
                bytes.append(
                    [0x47, 0, 0xFF, UInt8.random(in: 0...255, using: &random)].randomElement(using: &random) ?? 0)
            }
            if case .image(let length) = find(bytes, isEncrypted: round % 2 == 0) {
                #expect(0..<bytes.count ~= length)
            }
        }
    }
}

extension ByteSource {
    /// All bytes.
    fileprivate var contents: [UInt8] { get throws { try bytes(0..<length, limit: Int(length)) } }
}
