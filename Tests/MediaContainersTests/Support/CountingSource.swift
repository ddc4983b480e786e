import MediaContainers
import Synchronization

/// Counts the bytes that are read from a source.
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
