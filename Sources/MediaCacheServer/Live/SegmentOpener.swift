import MediaCache
import MediaLibrary

/// Opens a segment of a recording, a key or a media initialization section, by its name in a track's folder.
struct SegmentOpener: ReaderOpener {
    let live: LiveChannel
    let track: String
    let file: String
    let store: CacheStore
    /// How what is kept is read.
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
