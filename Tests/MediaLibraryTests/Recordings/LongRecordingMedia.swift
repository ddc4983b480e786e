import MediaCache
import MediaCacheTesting
import MediaContainers

@testable import MediaLibrary

/// The media of a long recording: fragmented MP4 with video or audio. Advertisements use another audio codec.
final class LongRecordingMedia {
    /// The number of samples in a segment, and their duration in seconds.
    static let samples = 30, sampleSeconds: Int64 = 2

    private let tracks: [MediaTrack]
    private let advertisement: MediaTrack
    private let fixture: WindowFixture
    /// The names of segments with damaged bytes, including their tracks' folders.
    private(set) var damaged: Set<String> = []
    /// The names of segments with the other audio codec, including their tracks' folders.
    private(set) var advertised: Set<String> = []
    private var isServed: Set<String> = []

    init(_ fixture: WindowFixture) throws {
        guard let clip = PublicClip.bytes else { throw SampleStream.MissingClip() }
        var remuxer = Remuxer(into: TrackListing())
        try remuxer.append(MemorySource(clip))
        let found = try remuxer.finish().tracks
        let (plan, resources) = try SampleStream.ac3.open()
        var remux = StreamRemux(plan, resources: resources)
        let others = try remux.run(into: TrackListing()).tracks
        guard let video = found.first(where: { $0.kind == .video }),
            let audio = found.first(where: { $0.kind == .audio }),
            let other = others.first(where: { $0.kind == .audio })
        else { throw SampleStream.MissingClip() }
        tracks = [video, audio]
        advertisement = other
        self.fixture = fixture
    }

    /// Serves a segment from the origin, and fetches it as the recorder does. Returns its length in bytes.
    func fetch(
        _ row: RecordedSegment, number: Int, track index: Int, isAdvertisement: Bool, isDamaged: Bool
    ) async throws -> Int64 {
        let folder = fixture.recording.timelines[index].track
        let track = index == 1 && isAdvertisement ? advertisement : tracks[index]
        var writer = FragmentedMovieWriter()
        _ = writer.add(track)
        let length = Self.sampleSeconds * Int64(track.timescale)
        let samples = (0..<Self.samples).map { place in
            let time = Int64(number * Self.samples + place) * length
            return MediaSample(track: 0, pts: time, dts: time, duration: length, size: 40, isSync: true)
        }
        var bytes = try writer.fragmentHead(samples)
        for place in samples.indices { bytes += Self.sample(number, place) }
        if isDamaged {
            bytes.removeLast(400)
            damaged.insert("\(folder)/\(row.name)")
        }
        if index == 1, isAdvertisement { advertised.insert("\(folder)/\(row.name)") }
        let recordingStore = CacheRecordingStore(fixture.store)
        for companion in row.conditions.companions {
            let part = fixture.recording.part(companion, row, track: folder)
            guard isServed.insert(part.storedAs ?? "").inserted else { continue }
            try serve(try writer.initializationSection(), at: part.url)
            _ = try await fetch(part, from: recordingStore)
        }
        try serve(bytes, at: row.url)
        return try await fetch(fixture.recording.part(row, track: folder), from: recordingStore)
    }

    /// Returns the bytes of a sample, a single NAL unit that contains its position.
    static func sample(_ number: Int, _ place: Int) -> [UInt8] {
        [0, 0, 0, 36, 0x65] + [number >> 16, number >> 8, number, place].map { UInt8(truncatingIfNeeded: $0) }
            + [UInt8](repeating: 0x55, count: 31)
    }

    private func serve(_ bytes: [UInt8], at url: String) throws {
        fixture.library.origin[try ResourceURL(url)] = ScriptedResource(
            .bytes(bytes), entityTag: "\"1\"", contentType: "video/mp4")
    }

    private func fetch(_ part: AssetPart, from recordingStore: CacheRecordingStore) async throws -> Int64 {
        var part = part
        part.scope = .any
        return try await recordingStore.fetch(
            part, settings: fixture.store.transfers, group: TransferGroup(name: "week")
        ).length
    }
}
