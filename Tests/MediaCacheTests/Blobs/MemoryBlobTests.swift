import Testing

@testable import MediaCache

struct MemoryBlobTests {
    private static let capacity = MemoryBlob.capacity
    private static let lookahead = MemoryBlob.lookahead

    /// The byte at an offset. Its period doesn't divide the capacity.
    private static func byte(_ offset: Int64) -> UInt8 { UInt8(offset % 251) }

    /// Fills all free space. Returns the number of bytes filled, and the positions of removed readers.
    private func fill(_ blob: inout MemoryBlob, now: Duration = .zero) -> (count: Int64, fallen: [Int64]) {
        let before = blob.end
        var fallen: [MemoryBlob.Reader] = []
        while true {
            let space = blob.makeSpace(now: now)
            fallen += space.fallen
            guard space.count > 0 else { break }
            let bytes = (blob.end..<blob.end + Int64(space.count)).map(Self.byte)
            _ = bytes.withUnsafeBytes { blob.append($0) }
        }
        return (blob.end - before, fallen.map(\.position))
    }

    @Test func limitsReadAhead() {
        var blob = MemoryBlob(start: 100, limit: .max)
        let reader = blob.join(at: 100, .playback)
        #expect(fill(&blob).count == Self.lookahead)
        blob.consume(1000, by: reader)
        #expect(fill(&blob).count == 1000)
        #expect(blob.end - blob.start <= Self.capacity)
    }

    @Test func copiesBytesAcrossEndOfRing() {
        var blob = MemoryBlob(start: 1000, limit: .max)
        let reader = blob.join(at: 1000, .playback)
        while blob.start < 3_000_000 {
            _ = fill(&blob)
            blob.consume(Int(blob.end - (blob.readers[reader]?.position ?? 0)), by: reader)
        }
        #expect(blob.end - blob.start == Self.capacity)
        #expect(copy(blob, at: blob.start) == (blob.start..<blob.end).map(Self.byte))
        #expect(copy(blob, at: blob.start - 1) == nil)
        #expect(copy(blob, at: blob.start + 1) == nil)
    }

    /// Returns as many bytes as the ring can contain, or nil if they aren't all in it.
    private func copy(_ blob: MemoryBlob, at offset: Int64) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: Int(Self.capacity))
        let isCopied = bytes.withUnsafeMutableBytes { blob.copy(to: $0, at: offset) }
        return isCopied ? bytes : nil
    }

    @Test func removesReadersThatBlockOthers() {
        var blob = MemoryBlob(start: 0, limit: .max)
        let fast = blob.join(at: 0, .playback)
        let slow = blob.join(at: 0, .playback)
        var position: Int64 = 0
        while position < Self.capacity {
            // The slow reader isn't removed while the fast one still has bytes to read.
            #expect(fill(&blob, now: .seconds(9)).fallen.isEmpty)
            blob.consume(Int(blob.end - position), by: fast)
            position = blob.end
        }
        // The total time that the blob waits for a reader is limited.
        #expect(fill(&blob, now: .seconds(10)).count == 0)
        #expect(fill(&blob, now: .seconds(10) + .milliseconds(200)).count == 0)
        blob.consume(100_000, by: slow)
        #expect(fill(&blob, now: .seconds(11)).count == 100_000)
        blob.consume(100_000, by: fast)
        #expect(fill(&blob, now: .seconds(12)) == (0, []))
        let last = fill(&blob, now: .seconds(12) + .milliseconds(60))
        #expect(last.fallen == [100_000])
        #expect(last.count == Self.lookahead)
        #expect(blob.readers[slow] == nil)
        #expect(blob.readers[fast] != nil)
        #expect(blob.end - blob.start <= Self.capacity)
    }

    @Test func preservesBytesForHold() {
        var blob = MemoryBlob(start: 0, limit: .max)
        let hold = blob.join(at: 0, .background, isHold: true)
        let reader = blob.join(at: 0, .playback)
        for _ in 0..<4 {
            #expect(fill(&blob).fallen.isEmpty)
            blob.consume(Int(blob.end - (blob.readers[reader]?.position ?? 0)), by: reader)
        }
        #expect(blob.end == Self.capacity)
        #expect(blob.reaches(0))
        _ = blob.leave(hold)
        #expect(fill(&blob).count > 0)
    }

    @Test func joinsNearbyReadersOnly() {
        var blob = MemoryBlob(start: 1000, limit: 5_000_000)
        #expect(blob.reaches(1000))
        #expect(blob.reaches(1000 + MemoryBlob.nearDistance))
        #expect(!blob.reaches(1001 + MemoryBlob.nearDistance))
        #expect(!blob.reaches(999))
        let reader = blob.join(at: 1000, .playback)
        while blob.end < 5_000_000 {
            _ = fill(&blob)
            blob.consume(Int(blob.end - (blob.readers[reader]?.position ?? 0)), by: reader)
            if blob.end > 4_999_000 { break }
        }
        #expect(!blob.reaches(1000))
        #expect(!blob.reaches(5_000_000))
        #expect(MemoryBlob(start: 0, limit: .max, sendsAll: true).reaches(4_000_000))
    }

    @Test func hasHighestTransferClassOfReaders() {
        var blob = MemoryBlob(start: 0, limit: .max)
        #expect(blob.transferClass == nil)
        _ = blob.join(at: 0, .download)
        let playing = blob.join(at: 0, .playback)
        #expect(blob.transferClass == .playback)
        _ = blob.leave(playing)
        #expect(blob.transferClass == .download)
    }
}
