import MediaContainers

/// A file in memory that is written at any place.
final class MemoryFile: RandomAccessSink {
    private(set) var contents: [UInt8] = []

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(ContainerError) {
        let end = Int(offset) + bytes.count
        if contents.count < end { contents.append(contentsOf: repeatElement(0, count: end - contents.count)) }
        contents.replaceSubrange(Int(offset)..<end, with: bytes)
    }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ContainerError) -> Int {
        try MemorySource(contents).read(at: offset, into: buffer)
    }
}
