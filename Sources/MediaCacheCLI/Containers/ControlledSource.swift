import MediaContainers

/// A file that is read until the work is to end.
final class ControlledSource<Source: MediaContainers.ByteSource>: MediaContainers.ByteSource {
    /// The length in bytes.
    let length: Int64
    private let source: Source
    private let control: WorkControl

    /// A source whose reads end when `control` says so.
    init(_ source: Source, control: WorkControl) {
        self.source = source
        self.control = control
        length = source.length
    }

    /// Reads; see `ByteSource`.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ContainerError) -> Int {
        do {
            try control.check()
        } catch {
            throw ContainerError(.inputOutput, "interrupted", at: offset, cause: error)
        }
        return try source.read(at: offset, into: buffer)
    }
}
