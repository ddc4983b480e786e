import MediaCache
import MediaContainers
import MediaLibrary

/// The opener of a recorded segment, key or media initialization section, by its name in a track's folder.
struct SegmentOpener: ReaderOpener {
    let live: LiveChannel
    let track: String
    let file: String
    let store: CacheStore
    /// The settings of reads. They forbid origin requests.
    let settings: TransferSettings
    let inflations: SegmentInflations

    var name: String { "\(live.path)/\(track)/\(file)" }

    func readerIfOpen(_ range: RequestedRange) throws -> (any ByteReader)? {
        guard var request = live.recording.plainRequest(file, track: track, settings: settings) else { return nil }
        request.range = range
        return try store.readIfOpen(request)
    }

    func reader(_ range: RequestedRange) async throws -> any ByteReader {
        let found = try await live.recording.part(file, track: track)
        return try await RecordedBytes(
            part: found.part, isWrapped: found.isWrapped, name: name, store: store, settings: settings,
            inflations: inflations
        ).reader(range)
    }
}

/// A recorded part: a whole resource or a range of a file, without its origin's wrapping.
struct RecordedBytes: Sendable {
    let part: AssetPart
    let isWrapped: Bool
    let name: String
    let store: CacheStore
    let settings: TransferSettings
    let inflations: SegmentInflations

    /// Returns a reader, which doesn't contact the origin.
    ///
    /// - Throws: `CacheError` with `notFound` if the part was removed.
    func reader(_ range: RequestedRange) async throws -> any ByteReader {
        var request = try part.request(settings: settings)
        if let slice = part.range {
            let session = try await store.read(request)
            session.cancel()
            let layout = ByteLayout([.source(slice)])
            return LayoutReader(
                layout, of: request, in: store, original: session.head,
                range: try range.resolved(in: layout.length, of: name), mark: "slice")
        }
        request.range = range
        guard isWrapped else { return try await store.read(request) }
        return try await UnwrappedPart(part: part, name: name, request: request, store: store, inflations: inflations)
            .reader()
    }
}
