import MediaContainers
import Synchronization

/// A large source that consists of zeros except in a few ranges.
struct SparseSource: ByteSource {
    var length: Int64
    var parts: [(offset: Int64, bytes: [UInt8])]

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ContainerError) -> Int {
        let count = Int(max(0, min(Int64(buffer.count), length - offset)))
        for index in 0..<count { buffer[index] = 0 }
        for part in parts {
            let begin = max(offset, part.offset)
            let end = min(offset + Int64(count), part.offset + Int64(part.bytes.count))
            guard begin < end else { continue }
            for place in begin..<end { buffer[Int(place - offset)] = part.bytes[Int(place - part.offset)] }
        }
        return count
    }
}

/// A source that counts the bytes read from it.
final class CountingSource: ByteSource {
    let base: MemorySource
    private let count = Atomic<Int>(0)

    init(_ base: MemorySource) { self.base = base }

    var length: Int64 { base.length }
    var bytesRead: Int { count.load(ordering: .relaxed) }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ContainerError) -> Int {
        let read = try base.read(at: offset, into: buffer)
        count.add(read, ordering: .relaxed)
        return read
    }
}
