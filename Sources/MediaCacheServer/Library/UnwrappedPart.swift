import MediaCache
import MediaContainers
import MediaLibrary

/// A media segment as players are to have it: without what its origin has put around it (`SegmentWrapping`).
struct UnwrappedPart: Sendable {
    let part: AssetPart
    /// What messages call it.
    let name: String
    let request: ReadRequest
    let store: CacheStore
    let inflations: SegmentInflations

    /// A reader of what the request is for.
    ///
    /// - Throws: `CacheError`.
    func reader() async throws -> any ByteReader {
        let (head, probe) = try await front(SegmentWrapping.probeLength)
        guard SegmentWrapping.mayBegin(probe) else { return try await store.read(request) }
        guard let length = try await length(of: head) else { return try await store.read(request) }
        let (_, front) = try await front(SegmentWrapping.frontLength)
        switch SegmentWrapping.find(front: front, length: length, isEncrypted: part.isEncrypted) {
        case .none: return try await store.read(request)
        case .picture(let picture):
            let layout = ByteLayout([.source(Int64(picture)..<length)])
            return LayoutReader(
                layout, of: request, in: store, original: head, range: try resolved(in: layout.length),
                contentType: contentType(Array(front.dropFirst(picture))), mark: "media")
        case .gzip:
            guard let bytes = try await inflated(head, length) else { return try await store.read(request) }
            return try MemoryReader(
                bytes, contentType: contentType(Array(bytes.prefix(4096))), original: head, range: request.range,
                name: name)
        }
    }

    /// The first bytes. Where they aren't here, the whole is asked for, not they alone.
    private func front(_ count: Int) async throws -> (head: ResourceHead, bytes: [UInt8]) {
        var front = request
        front.range = .closed(0, through: Int64(count) - 1)
        let session = try await store.read(front)
        defer { session.cancel() }
        var bytes: [UInt8] = []
        for try await buffer in session.buffers { bytes += buffer }
        return (session.head, bytes)
    }

    /// How long it is, where nothing says so before all of it has come.
    private func length(of head: ResourceHead) async throws -> Int64? {
        if let length = head.length { return length }
        guard request.settings?.asksOrigins == true else { return nil }
        return try await store.complete(request).length
    }

    private func inflated(_ head: ResourceHead, _ length: Int64) async throws -> [UInt8]? {
        guard length <= Int64(SegmentInflation.largest) else {
            throw CacheError(.badResponse, "\(part.url) is stored compressed, and too large to be inflated")
        }
        do {
            return try await inflations.segment("\(part.url) \(head.entityTag)", isEncrypted: part.isEncrypted) {
                try await front(Int(length)).bytes
            }
        } catch let error as ContainerError {
            throw CacheError(.badResponse, "\(part.url): \(error)", cause: error)
        }
    }

    private func contentType(_ front: [UInt8]) -> String {
        let ending = part.name.split(separator: ".").last.map(String.init) ?? ""
        return MediaType.resolve(
            sniffed: front.withUnsafeBytes { MediaType.sniff($0) }, declared: nil, pathExtension: ending)
    }

    private func resolved(in length: Int64) throws -> Range<Int64> {
        guard let range = request.range.resolved(in: length) else {
            throw CacheError(
                .rangeNotSatisfiable, "\(name) has \(length) bytes; the range lies outside", completeLength: length)
        }
        return range
    }
}
