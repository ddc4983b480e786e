internal import Foundation
internal import MediaCache
internal import MediaContainers

/// The positions and checksums of a movie's chunks, and the steps in which they begin.
///
/// A step reads one part of one input, in reading order. The last step flushes buffered samples.
struct MovieTable: Sendable {
    /// Consecutive samples of one track.
    struct Chunk: Sendable {
        /// The offset in bytes from the beginning of the media data.
        var offset: Int64
        var length: UInt32
        /// The CRC-32C of the bytes.
        var checksum: UInt32
        var track: UInt16
        var firstSample: UInt32
        var sampleCount: UInt32
        /// The step that yielded the chunk's first sample, or an earlier step that yielded the first sample of a later
        /// chunk. A run that begins at this step can also read all later chunks.
        var step: Int32
    }

    /// A step, and the number of a track's first sample in it.
    struct Mark: Sendable {
        var step: Int32
        var sample: UInt32
    }

    var tracks: [MediaTrack] = []
    var chunks: [Chunk] = []
    var chunksOfTracks: [[Int32]] = []
    /// The steps that yielded samples of each track.
    var marks: [[Mark]] = []
    /// The input of each step except the last.
    var inputs: [UInt16] = []

    /// The approximate memory use in bytes, without the tracks.
    var memory: Int64 {
        let marks = marks.reduce(0) { $0 + $1.count }
        let sizes = chunks.count * (MemoryLayout<Chunk>.stride + MemoryLayout<Int32>.stride)
        return Int64(sizes + marks * MemoryLayout<Mark>.stride + inputs.count * MemoryLayout<UInt16>.stride)
    }

    /// Returns the index of the chunk that contains a byte of the media data.
    func chunk(at offset: Int64) -> Int { chunks.partitioningIndex { $0.offset > offset } - 1 }

    /// Returns the number of a track's first sample that a step or a later one yielded; `UInt32.max` if there is none.
    func firstSample(ofTrack track: Int, from step: Int) -> UInt32 {
        let index = marks[track].partitioningIndex { $0.step >= step }
        return index < marks[track].count ? marks[track][index].sample : .max
    }

    func nextParts(before step: Int, inputCount: Int) -> [Int] {
        var nextParts = [Int](repeating: 0, count: inputCount)
        for input in inputs.prefix(step) { nextParts[Int(input)] += 1 }
        return nextParts
    }

    /// Sets the step of each chunk to the earliest step of the chunk and all later ones.
    mutating func settleSteps() {
        var earliest = Int32.max
        for index in chunks.indices.reversed() {
            earliest = min(earliest, chunks[index].step)
            chunks[index].step = earliest
        }
    }

    /// Returns 32 hexadecimal digits: a hash of the file's head and of the lengths and checksums of its chunks.
    func identity(head: [UInt8]) -> String {
        var bytes = head
        for chunk in chunks {
            withUnsafeBytes(of: (chunk.length.littleEndian, chunk.checksum.littleEndian)) { bytes += $0 }
        }
        return bytes.withUnsafeBytes { SHA256.hash($0) }.prefix(16).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }
}
