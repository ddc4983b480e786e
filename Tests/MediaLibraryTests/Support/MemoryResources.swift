import MediaContainers
import MediaLibrary
import Synchronization

/// A stream's resources in memory.
final class MemoryResources: StreamResources, Sendable {
    private let files: Mutex<[String: [UInt8]]>
    private let requestedURLs = Mutex<[String]>([])

    init(_ files: [String: [UInt8]]) { self.files = Mutex(files) }

    /// The requested URLs, in order.
    var requests: [String] { requestedURLs.withLock { $0 } }

    /// The bytes of all resources, by URL.
    var all: [String: [UInt8]] { files.withLock { $0 } }

    /// Replaces or removes a resource.
    subscript(url: String) -> [UInt8]? {
        get { files.withLock { $0[url] } }
        set { files.withLock { $0[url] = newValue } }
    }

    /// Returns a remux of the stream at `http://h/index.m3u8`.
    func remux() throws(ContainerError) -> StreamRemux<MemoryResources> {
        StreamRemux(try StreamPlan(playlist: "http://h/index.m3u8", resources: self), resources: self)
    }

    func contents(of url: String, limit: Int) throws(ContainerError) -> (bytes: [UInt8], location: String) {
        let bytes = try bytes(of: url, range: nil).contents
        guard bytes.count <= limit else { throw ContainerError(.inputOutput, "\(url) is too long") }
        return (bytes, url)
    }

    func bytes(of url: String, range: Range<Int64>?) throws(ContainerError) -> MemorySource {
        requestedURLs.withLock { $0.append(url) }
        guard let bytes = self[url] else { throw ContainerError(.inputOutput, "\(url) isn't there") }
        guard let range else { return MemorySource(bytes) }
        guard range.upperBound <= Int64(bytes.count) else { throw ContainerError(.inputOutput, "\(url) is too short") }
        return MemorySource(Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)]))
    }
}
