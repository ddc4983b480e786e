import MediaContainers
import MediaLibrary
import Synchronization

/// The resources of a stream in memory.
final class MemoryResources: StreamResources {
    private let files: [String: [UInt8]]
    private let asked = Mutex<[String]>([])

    init(_ files: [String: [UInt8]]) { self.files = files }

    /// What was asked for, in order.
    var requests: [String] { asked.withLock { $0 } }

    func contents(of url: String, limit: Int) throws(ContainerError) -> (bytes: [UInt8], location: String) {
        let bytes = try bytes(of: url, range: nil).contents
        guard bytes.count <= limit else { throw ContainerError(.inputOutput, "\(url) is too long") }
        return (bytes, url)
    }

    func bytes(of url: String, range: Range<Int64>?) throws(ContainerError) -> MemorySource {
        asked.withLock { $0.append(url) }
        guard let bytes = files[url] else { throw ContainerError(.inputOutput, "\(url) isn't there") }
        guard let range else { return MemorySource(bytes) }
        return MemorySource(Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)]))
    }
}
