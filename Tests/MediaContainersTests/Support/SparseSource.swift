import MediaContainers

/// A large file of which only some places hold other bytes than zero.
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
