extension [UInt8] {
    /// Lends the bytes to a reader for the length of a call.
    ///
    /// - Parameters:
    ///   - origin: Where the bytes begin in the file, for errors.
    ///   - body: What reads.
    func withReader<Value>(
        at origin: Int64 = 0, _ body: (inout ByteReader) throws(ContainerError) -> Value
    ) throws(ContainerError) -> Value {
        let result = withUnsafeBytes { buffer in
            Result { () throws(ContainerError) in
                var reader = ByteReader(buffer, origin: origin)
                return try body(&reader)
            }
        }
        return try result.get()
    }

    /// Copies borrowed bytes.
    init(copying bytes: UnsafeRawBufferPointer) { self = bytes.withMemoryRebound(to: UInt8.self) { Array($0) } }
}
