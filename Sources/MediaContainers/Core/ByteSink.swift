/// What takes the bytes of a file in order: a file, memory, a response's body.
public protocol ByteSink {
    /// Takes bytes, borrowed for the length of the call.
    ///
    /// - Throws: ``ContainerError/Code-swift.enum/inputOutput`` with the sink's own error as its cause.
    mutating func write(_ bytes: UnsafeRawBufferPointer) throws(ContainerError)
}
