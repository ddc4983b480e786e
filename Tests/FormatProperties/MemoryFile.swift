package import MediaContainers

/// A file in memory that can be written at any offset.
package final class MemoryFile: RandomAccessSink {
    package private(set) var contents: [UInt8] = []

    package init() {}

    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(ContainerError) {
        let end = Int(offset) + bytes.count
        if contents.count < end { contents.append(contentsOf: repeatElement(0, count: end - contents.count)) }
        contents.replaceSubrange(Int(offset)..<end, with: bytes)
    }

    package func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ContainerError) -> Int {
        try MemorySource(contents).read(at: offset, into: buffer)
    }
}
