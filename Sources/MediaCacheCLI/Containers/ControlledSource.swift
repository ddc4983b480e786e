import MediaContainers
import MediaLibrary

/// A file that is read until the work is to end, and tells how much was read.
final class ControlledSource<Source: MediaContainers.ByteSource>: MediaContainers.ByteSource {
    /// The length in bytes.
    let length: Int64
    private let source: Source
    private let control: WorkControl
    private let progress: WorkProgress?

    /// A source whose reads end when `control` says so.
    init(_ source: Source, control: WorkControl, progress: WorkProgress?) {
        self.source = source
        self.control = control
        self.progress = progress
        length = source.length
    }

    /// Reads; see `ByteSource`.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ContainerError) -> Int {
        do {
            try control.check()
        } catch {
            throw ContainerError(.inputOutput, "interrupted", at: offset, cause: error)
        }
        let count = try source.read(at: offset, into: buffer)
        progress?.note(Int64(count))
        return count
    }
}
