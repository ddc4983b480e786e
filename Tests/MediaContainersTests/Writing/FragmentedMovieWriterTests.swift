import MediaContainers
import TestSupport
import Testing

@Suite(.enabled(if: try Prerequisite.hasCorpora()))
struct FragmentedMovieWriterTests {
    /// A sink that writes fragments of 50 samples.
    struct Fragmenter: SampleSink {
        var writer = FragmentedMovieWriter()
        var file: [UInt8] = []
        private var samples: [MediaSample] = []
        private var content: [UInt8] = []

        mutating func tracks(_ tracks: [MediaTrack]) throws(ContainerError) {
            // If an edit list cuts the first samples, decoding starts before zero.
            for track in tracks { _ = writer.add(track, timeOffset: Int64(track.timescale)) }
            file += try writer.initializationSection()
        }

        mutating func sample(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) throws(ContainerError) {
            if samples.count == 50 { try finish() }
            samples.append(sample)
            content += Array(bytes)
        }

        mutating func finish() throws(ContainerError) {
            file += try writer.fragmentHead(samples) + content
            samples = []
            content = []
        }
    }

    static let samples = [
        "androidx-media/media/mp4/sample.mp4", "androidx-media/media/mp4/sample_fragmented.mp4",
        "eyevinn-mp4ff/mp4/testdata/ed_hevc.mp4", "eyevinn-mp4ff/mp4/testdata/opus.mp4",
        "eyevinn-mp4ff/mp4/testdata/prog_8s.mp4",
    ]

    private func fragmented(_ path: String) throws -> (before: PacketList, file: [UInt8]) {
        let reader = try MP4Reader(MemorySource(try Corpora.bytes(path)))
        var before = PacketList()
        try reader.deliver(to: &before)
        var fragmenter = Fragmenter()
        try reader.deliver(to: &fragmenter)
        try fragmenter.finish()
        return (before, fragmenter.file)
    }

    private func essence(_ list: PacketList) -> [Int: [String]] {
        list.streams.mapValues { packets in
            packets.map { "\($0.pts ?? -1) \($0.dts ?? -1) \($0.size) \($0.flags.prefix(1)) \($0.crc)" }
        }
    }

    @Test(arguments: samples) func preservesSamplesAndTimesInFragments(path: String) throws {
        let (before, file) = try fragmented(path)
        #expect(try essence(PacketList(MemorySource(file))) == essence(before))
        let types = try BoxTree(MemorySource(file)).roots.map(\.header.type)
        #expect(types.prefix(2) == ["ftyp", "moov"])
        #expect(types.filter { $0 == "moof" }.count == types.filter { $0 == "mdat" }.count)
    }

    @Test(.enabled(if: try Prerequisite.isMet("ffprobe", FFprobe.path != nil)), arguments: samples)
    func matchesFFprobe(path: String) throws {
        let (before, file) = try fragmented(path)
        #expect(try essence(FFprobe.packets(file)) == essence(before))
    }

    @Test func readsSegmentsWithInitializationSection() throws {
        let (before, file) = try fragmented(Self.samples[0])
        let headers = try BoxTree(MemorySource(file)).roots.map(\.header)
        let cut = Int(try #require(headers.first { $0.type == "moof" }).offset)
        let movie = try MP4Reader(MemorySource(Array(file[..<cut]))).movie
        var after = PacketList()
        try MP4Reader(MemorySource(Array(file[cut...])), initialization: movie).deliver(to: &after)
        #expect(essence(after) == essence(before))
    }
}
