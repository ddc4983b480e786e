import MediaContainers
import TestSupport

/// A valid file for the mutator.
struct MP4Seed {
    var bytes: [UInt8]
    /// The ranges that contain structure.
    var places: [Range<Int>]
    let times: [TimeField]

    /// Creates a seed. All bytes except the content of `mdat` are structure.
    init(_ bytes: [UInt8]) throws {
        self.bytes = bytes
        times = TimeField.ofMovie(bytes)
        places = []
        var boxes = TopLevelBoxes(MemorySource(bytes))
        while let header = try boxes.next() {
            let end = min(Int(header.end), bytes.count)
            let stop = header.type == "mdat" ? Int(header.offset) + header.headerSize : end
            places.append(Int(header.offset)..<min(stop, bytes.count))
        }
    }

    private static let files = [
        "abema-go-mp4/sample.mp4", "abema-go-mp4/sample_fragmented.mp4", "abema-go-mp4/sample_init.encv.mp4",
        "alfg-mp4-rust/tests/samples/minimal.mp4", "androidx-media/media/mp4/sample_audio_only.mp4",
        "androidx-media/media/mp4/sample_simple.mp4", "eyevinn-mp4ff/cmd/mp4ff-mvhevc/testdata/stereo_spatial.mp4",
        "eyevinn-mp4ff/cmd/mp4ff-subslister/testdata/sample_short.ismt",
        "eyevinn-mp4ff/cmd/mp4ff-subslister/testdata/stpp_combined.mp4", "eyevinn-mp4ff/mp4/testdata/ed_hevc.mp4",
        "eyevinn-mp4ff/mp4/testdata/init_cenc.cmfv", "eyevinn-mp4ff/mp4/testdata/opus.mp4",
        "videojs-http-streaming/segments/mp4Video.mp4", "eyevinn-mp4ff/mp4/testdata/moof_enc.m4s",
    ]

    /// Movies with two fragments, edit lists or negative composition offsets. Their fragments have 64-bit times.
    private static let edited = [
        TimedMovie(decodeTimes: [0, 6000]),
        TimedMovie(edits: [(600, -1), (0, 1000)], decodeTimes: [1000], compositionOffset: -1000),
        TimedMovie(timescale: 1, edits: [(1, -1), (1, -1), (0, 0)], decodeTimes: [5, 7], duration: 1),
        TimedMovie(timescale: 48_000, edits: [(600, 0), (600, 3000)], handler: "soun", mediaDuration: 0),
    ]

    /// Returns the project's own files and, if available, some of the corpora.
    static func all() throws -> [MP4Seed] {
        var builder = MovieBuilder()
        let format = MediaFormat(codec: .aac, configuration: [0x12, 0x10], sampleRate: 44100, channels: 2)
        var track = MediaTrack(id: 1, kind: .audio, formats: [format], timescale: 44100)
        track.priming = 2112
        _ = try builder.add(track)
        for index in 0..<40 {
            let time = Int64(index) * 1024
            try builder.add(MediaSample(track: 0, pts: time, dts: time, duration: 1024, size: 9, isSync: true))
        }
        let layout = try builder.progressiveLayout()
        var seeds = [try MP4Seed(layout.head + [UInt8](repeating: 1, count: Int(layout.mediaLength)))]
        for movie in Self.edited {
            seeds += [try MP4Seed(movie.fragmentedFile), try MP4Seed(movie.progressiveFile)]
        }
        guard try Prerequisite.hasCorpora() else { return seeds }
        for path in files { seeds.append(try MP4Seed(try Corpora.bytes(path))) }
        return seeds
    }
}
