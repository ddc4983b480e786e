import Foundation
import HLS
import MediaCache
import MediaCacheTesting
import Testing

@testable import MediaLibrary

/// A recording whose timelines are filled by tests, and a manual clock.
final class WindowFixture: Sendable {
    let library = LibraryFixture()
    let recordingStore = TimelineMemoryStore()
    let store: CacheStore
    let dependencies: RecordingDependencies
    let recording: Recording

    /// Creates a recording whose first track has `rows`.
    init(
        _ rows: [RecordedSegment] = [], tracks: [String] = ["video-1"], retention: Retention = Retention(),
        entry: String? = nil
    ) async throws {
        // Starts the clock before all rows of the tests.
        library.time.setWallClock(to: Date(nanosecondsSinceEpoch: TimelineRows.epoch - 86_400 * TimelineRows.second))
        let store = try await library.open()
        self.store = store
        guard let name = ChannelName(rawValue: "one") else { preconditionFailure("no name") }
        let url = try ResourceURL("http://origin.example/live/index.m3u8")
        var channel = Channel(ChannelRequest(name: name, url: url, retention: retention), created: store.now)
        channel.tracks = tracks.map { Channel.Track(folder: $0, url: "http://origin.example/live/\($0).m3u8") }
        channel.entry = entry ?? ChannelEntry.single(folder: tracks[0], bandwidth: 1_000_000)
        let events = EventHub<RecordingEvent> { .dropped(count: $0) }
        dependencies = RecordingDependencies(
            store: store, recordingStore: recordingStore, loader: PlaylistLoader(store: store),
            events: events, settings: Downloads.storeSettings(store), save: { _ in },
            exports: ProgrammeExports(store, events: events, encoder: nil), ended: { _ in })
        recording = Recording(channel, dependencies: dependencies)
        try await recording.open()
        if !rows.isEmpty { try await timeline.append(rows) }
    }

    var timeline: Timeline { recording.timelines[0] }

    /// Sets the wall clock to a time in nanoseconds since 1970.
    func setClock(to nanoseconds: Int64) { library.time.setWallClock(to: Date(nanosecondsSinceEpoch: nanoseconds)) }

    /// Advances both clocks until the wall clock shows a time in nanoseconds since 1970.
    func pass(to nanoseconds: Int64) {
        library.time.advance(by: .nanoseconds(nanoseconds - library.time.now.nanosecondsSinceEpoch))
    }

    func close() async {
        await recording.stop()
        await store.close()
    }

    func text(
        _ request: WindowRequest, track: String = "video-1", isGranted: Bool = false, isStrict: Bool = false
    ) async throws -> String {
        let bytes = try await recording.playlist(request, track: track, isGranted: isGranted, isStrict: isStrict)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the playlist of a track's window, parsed. Expects no diagnostics other than notes.
    func window(
        _ request: WindowRequest, track: String = "video-1", isGranted: Bool = false
    ) async throws -> MediaPlaylist {
        try Self.parsed(try await text(request, track: track, isGranted: isGranted))
    }

    static func parsed(_ text: String) throws -> MediaPlaylist {
        let parsed = try PlaylistParser(isStrict: true).parse(text)
        #expect(parsed.diagnostics.filter { $0.severity > .note } == [], "\(text)")
        guard case .media(let playlist) = parsed.playlist else { throw CacheError(.notMedia, text) }
        return playlist
    }
}

/// A playlist's segments with their numbers as a player counts them.
struct CountedWindow {
    struct Segment: Hashable {
        var sequence: Int
        var discontinuity: Int
        var uri: String
    }

    var segments: [Segment] = []

    init(_ playlist: MediaPlaylist) {
        var discontinuity = playlist.discontinuitySequence
        for (index, segment) in playlist.segments.enumerated() {
            if segment.isDiscontinuous { discontinuity += 1 }
            segments.append(
                Segment(sequence: playlist.mediaSequence + index, discontinuity: discontinuity, uri: segment.uri))
        }
    }
}
