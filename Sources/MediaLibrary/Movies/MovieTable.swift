internal import Crypto
internal import Foundation
internal import MediaContainers

/// Where the chunks of a movie lie that isn't written, how to know their bytes again, and where in its stream they began.
///
/// A step is a part of one of the stream's inputs, in the order in which parts are read; the last is the end, which hands
/// out what was held.
struct MovieTable: Sendable {
    /// Samples of one track that lie next to each other.
    struct Chunk: Sendable {
        /// Where they begin, in bytes from the beginning of the media.
        var offset: Int64
        var length: UInt32
        /// CRC-32C.
        var checksum: UInt32
        var track: UInt16
        /// The number of the first of them in its track.
        var firstSample: UInt32
        var sampleCount: UInt32
        /// The step that gave the first sample of this chunk, or of one behind it if that is earlier: whoever begins here
        /// can read on to the end.
        var step: Int32
    }

    /// The first sample of a track that a step gave.
    struct Mark: Sendable {
        var step: Int32
        var sample: UInt32
    }

    /// The tracks, with all their formats.
    var tracks: [MediaTrack] = []
    /// In the order of the file.
    var chunks: [Chunk] = []
    /// The indices of each track's chunks.
    var chunksOfTracks: [[Int32]] = []
    /// For each track, the steps that gave samples of it.
    var marks: [[Mark]] = []
    /// The input whose part each step read, apart from the last.
    var inputs: [UInt16] = []

    /// About how many bytes of memory it takes.
    var memory: Int64 {
        let marks = marks.reduce(0) { $0 + $1.count }
        let sizes = chunks.count * (MemoryLayout<Chunk>.stride + MemoryLayout<Int32>.stride)
        return Int64(sizes + marks * MemoryLayout<Mark>.stride + inputs.count * MemoryLayout<UInt16>.stride)
    }

    /// The index of the chunk that a byte of the media belongs to.
    func chunk(at offset: Int64) -> Int {
        chunks.partitioningIndex { $0.offset > offset } - 1
    }

    /// The number of the first sample of a track that a step, or one after it, gave.
    func firstSample(ofTrack track: Int, from step: Int) -> UInt32 {
        let index = marks[track].partitioningIndex { $0.step >= step }
        return index < marks[track].count ? marks[track][index].sample : .max
    }

    /// How many parts of each input come before a step.
    func places(before step: Int, inputCount: Int) -> [Int] {
        var places = [Int](repeating: 0, count: inputCount)
        for input in inputs.prefix(step) { places[Int(input)] += 1 }
        return places
    }

    /// Lets each chunk begin where those behind it can be had too.
    mutating func settleSteps() {
        var earliest = Int32.max
        for index in chunks.indices.reversed() {
            earliest = min(earliest, chunks[index].step)
            chunks[index].step = earliest
        }
    }

    /// A hash of all that makes the file's bytes, as 32 hexadecimal digits.
    func identity(head: [UInt8]) -> String {
        var hash = SHA256()
        hash.update(data: head)
        for chunk in chunks {
            withUnsafeBytes(of: (chunk.length.littleEndian, chunk.checksum.littleEndian)) {
                hash.update(bufferPointer: $0)
            }
        }
        return hash.finalize().prefix(16).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }
}
