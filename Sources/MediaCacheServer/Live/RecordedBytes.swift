import MediaCache
import MediaContainers
import MediaLibrary

/// What is kept of a recording under a name of its own: the whole of it, or a slice of a file, without what its origin has
/// put around it.
struct RecordedBytes: Sendable {
    let part: AssetPart
    let isWrapped: Bool
    /// What messages call it.
    let name: String
    let store: CacheStore
    let settings: TransferSettings
    let inflations: SegmentInflations

    /// A reader; no origin is asked.
    ///
    /// - Throws: `CacheError` with `notFound` where it isn't kept any more.
    func reader(_ range: RequestedRange) async throws -> any ByteReader {
        var request = try part.request(settings: settings)
        if let slice = part.range {
            let session = try await store.read(request)
            session.cancel()
            let layout = ByteLayout([.source(slice)])
            guard let range = range.resolved(in: layout.length) else {
                throw CacheError(
                    .rangeNotSatisfiable, "\(name) has \(layout.length) bytes; the range lies outside",
                    completeLength: layout.length)
            }
            return LayoutReader(layout, of: request, in: store, original: session.head, range: range, mark: "slice")
        }
        request.range = range
        guard isWrapped else { return try await store.read(request) }
        return try await UnwrappedPart(part: part, name: name, request: request, store: store, inflations: inflations)
            .reader()
    }
}
