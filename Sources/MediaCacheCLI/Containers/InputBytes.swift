import MediaContainers
import MediaLibrary

/// The bytes of an input: a file of this machine, or a resource through the cache.
enum InputBytes: MediaContainers.ByteSource {
    /// A file.
    case file(ControlledSource<FileSource>)
    /// A resource.
    case resource(PlaySource)

    /// Opens a file.
    ///
    /// - Throws: `ContainerError` with `inputOutput`, naming it.
    init(path: String, control: WorkControl, progress: WorkProgress? = nil) throws(ContainerError) {
        self = .file(ControlledSource(try FileSource(path: path), control: control, progress: progress))
    }

    /// The length in bytes.
    var length: Int64 {
        switch self {
        case .file(let source): source.length
        case .resource(let source): source.length
        }
    }

    /// Reads; see `ByteSource`.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ContainerError) -> Int {
        switch self {
        case .file(let source): try source.read(at: offset, into: buffer)
        case .resource(let source): try source.read(at: offset, into: buffer)
        }
    }
}
