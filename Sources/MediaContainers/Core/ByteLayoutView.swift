/// A file that isn't written: its bytes are put together from a layout and its source as they are read.
public struct ByteLayoutView<Source: ByteSource>: ByteSource {
    /// How the file is put together.
    public let layout: ByteLayout
    /// What its source ranges are ranges of.
    public let source: Source

    /// Creates a view.
    public init(layout: ByteLayout, source: Source) {
        self.layout = layout
        self.source = source
    }

    /// The length of the file in bytes.
    public var length: Int64 { layout.length }

    /// Reads bytes of the file; see ``ByteSource/read(at:into:)``.
    public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ContainerError) -> Int {
        guard offset >= 0, offset < length else { return 0 }
        var done = 0
        var index = layout.firstPiece(at: offset)
        while done < buffer.count, index < layout.pieces.count {
            let piece = layout.pieces[index]
            let inside = offset + Int64(done) - layout.starts[index]
            let count = Int(min(Int64(buffer.count - done), piece.length - inside))
            let target = UnsafeMutableRawBufferPointer(rebasing: buffer[done..<done + count])
            switch piece {
            case .generated(let bytes):
                bytes.withUnsafeBytes { held in
                    target.copyMemory(from: UnsafeRawBufferPointer(rebasing: held[Int(inside)..<Int(inside) + count]))
                }
            case .source(let range):
                let read = try source.read(at: range.lowerBound + inside, into: target)
                if read < count { return done + read }
            }
            done += count
            index += 1
        }
        return done
    }

    /// Writes the file to a sink, a buffer at a time.
    ///
    /// - Parameters:
    ///   - sink: What takes the bytes, in order.
    ///   - bufferSize: How much is read at once, in bytes.
    /// - Throws: ``ContainerError/Code-swift.enum/truncated`` when the source ends early, and the sink's errors.
    public func write<Sink: ByteSink>(to sink: inout Sink, bufferSize: Int = 1 << 20) throws(ContainerError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, bufferSize), alignment: 16)
        defer { buffer.deallocate() }
        var position: Int64 = 0
        while position < length {
            let count = try read(at: position, into: buffer)
            guard count > 0 else { throw ContainerError(.truncated, "the source ended early", at: position) }
            try sink.write(UnsafeRawBufferPointer(rebasing: buffer[0..<count]))
            position += Int64(count)
        }
    }
}
