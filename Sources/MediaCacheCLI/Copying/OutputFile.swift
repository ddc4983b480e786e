import MediaContainers

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file that is made under another name beside its target, and put there when it's whole.
final class OutputFile: RandomAccessSink, ByteSink {
    private let target: OutputTarget
    private let temporary: String
    private let file: FileSink
    private var position: Int64 = 0
    /// Up to where the system was told to write; a disk's work goes on beside ours.
    private var started: Int64 = 0
    private static let stride: Int64 = 8 << 20

    /// Makes the file.
    ///
    /// - Throws: ``CommandFailure``, naming the file and the system's reason.
    init(_ target: OutputTarget) throws {
        try target.check()
        self.target = target
        temporary = target.temporaryName()
        do {
            file = try FileSink(path: temporary)
        } catch {
            throw CommandFailure(error, of: target.path)
        }
    }

    // What was put in its place has no such name any more, but where it's a hard link.
    deinit { unlink(temporary) }

    /// Adds bytes at the end of those that were added.
    func write(_ bytes: UnsafeRawBufferPointer) throws(ContainerError) {
        try write(bytes, at: position)
        position += Int64(bytes.count)
    }

    /// Writes bytes at a place; see `RandomAccessSink`.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(ContainerError) {
        try file.write(bytes, at: offset)
        let end = offset + Int64(bytes.count)
        guard end - started >= Self.stride else { return }
        file.startWriting(started..<end)
        started = end
    }

    /// Reads bytes back; see `RandomAccessSink`.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ContainerError) -> Int {
        try file.read(at: offset, into: buffer)
    }

    /// Where it's made: for another program that fills it.
    var path: String { temporary }

    /// Syncs it and gives it its name.
    ///
    /// - Throws: ``CommandFailure``, and `ContainerError` if it can't be synced.
    func place() throws {
        try file.synchronize()
        try target.place(temporary)
    }
}
