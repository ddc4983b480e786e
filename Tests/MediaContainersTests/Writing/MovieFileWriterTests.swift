import FormatProperties
import Foundation
import MediaContainers
import TestSupport
import Testing

struct MovieFileWriterTests {
    private let audio = MediaTrack(
        id: 7, kind: .audio,
        formats: [MediaFormat(codec: .aac, configuration: [0x12, 0x10], sampleRate: 44100, channels: 2)],
        timescale: 44100)

    /// Writes audio frames with random bytes and sizes.
    private func write(
        frames: Int, expectedDuration: Double?
    ) throws -> (file: [UInt8], summary: MovieFileWriter<MemoryFile>.Summary, crcs: [UInt32]) {
        let file = MemoryFile()
        var writer = MovieFileWriter(file, expectedDuration: expectedDuration)
        try writer.tracks([audio])
        var random = SeededGenerator(seed: 9)
        var crcs: [UInt32] = []
        for index in 0..<frames {
            let bytes = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let time = Int64(index) * 1024
            let sample = MediaSample(track: 0, pts: time, dts: time, duration: 1024, size: bytes.count, isSync: true)
            try bytes.withUnsafeBytes { (buffer) throws in
                crcs.append(CRC32.checksum(buffer))
                try writer.sample(sample, bytes: buffer)
            }
        }
        let summary = try writer.finish()
        return (file.contents, summary, crcs)
    }

    @Test func fillsUnusedSpaceWithFreeBox() throws {
        let (file, summary, crcs) = try write(frames: 500, expectedDuration: 12)
        #expect(try BoxTree(MemorySource(file)).roots.map(\.header.type) == ["ftyp", "moov", "free", "mdat"])
        #expect(!summary.wasMoved && summary.length == Int64(file.count) && summary.headLength % 4096 == 0)
        #expect(try PacketList(MemorySource(file)).streams[0]?.map(\.crc) == crcs)
    }

    @Test func movesMediaForLargeIndex() throws {
        let (file, summary, crcs) = try write(frames: 9000, expectedDuration: nil)
        #expect(try BoxTree(MemorySource(file)).roots.map(\.header.type) == ["ftyp", "moov", "mdat"])
        #expect(summary.wasMoved && summary.length == Int64(file.count))
        #expect(try PacketList(MemorySource(file)).streams[0]?.map(\.crc) == crcs)
    }

    @Test func fillsEveryRemainderOfReservedSpace() throws {
        // Each frame adds four bytes to the index, so the test covers all possible remainders at the end of the
        // reserved space.
        let probe = try BoxTree(MemorySource(write(frames: 3000, expectedDuration: nil).file)).roots
        let free = try #require(probe.first { $0.header.type == "free" }).header.size
        let full = 3000 + Int(free) / 4
        var kinds: Set<Int> = []
        for frames in full - 8..<full + 8 {
            let (file, summary, crcs) = try write(frames: frames, expectedDuration: nil)
            let types = try BoxTree(MemorySource(file)).roots.map(\.header.type)
            kinds.insert(types.count)
            #expect(types == ["ftyp", "moov", "mdat"] || types == ["ftyp", "moov", "free", "mdat"])
            #expect(summary.length == Int64(file.count))
            var samples = try MP4Reader(MemorySource(file)).samples()
            var last: MediaSample?
            while let sample = try samples.next() { last = sample }
            let sample = try #require(last)
            let bytes = Array(file[Int(sample.offset)..<Int(sample.offset) + sample.size])
            #expect(bytes.withUnsafeBytes { CRC32.checksum($0) } == crcs.last)
        }
        #expect(kinds == [3, 4])
    }

    @Test(.enabled(if: try Prerequisite.hasCorpora()))
    func interleavesTracksBySecond() throws {
        let reader = try MP4Reader(MemorySource(try Corpora.bytes("eyevinn-mp4ff/mp4/testdata/bbb_prog_10s.mp4")))
        var before = PacketList()
        try reader.deliver(to: &before)
        let file = MemoryFile()
        var writer = MovieFileWriter(file, expectedDuration: 10)
        try reader.deliver(to: &writer)
        _ = try writer.finish()
        let after = try PacketList(MemorySource(file.contents))
        #expect(after.streams.mapValues { $0.map(\.crc) } == before.streams.mapValues { $0.map(\.crc) })
        #expect(after.streams.mapValues { $0.map(\.pts) } == before.streams.mapValues { $0.map(\.pts) })
        var samples = try MP4Reader(MemorySource(file.contents)).samples()
        var changes = 0
        var track = -1
        while let sample = try samples.next() {
            if sample.track != track { changes += 1 }
            track = sample.track
        }
        #expect((10...40).contains(changes))
    }

    @Test func throwsWithoutSamples() throws {
        var writer = MovieFileWriter(MemoryFile())
        try writer.tracks([audio])
        #expect(throws: ContainerError.self) { try writer.finish() }
    }

    @Test func writesSameFileToDiskAndMemory() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).mp4").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let inMemory = MemoryFile()
        var first = MovieFileWriter(inMemory)
        var second = MovieFileWriter(try FileSink(path: path))
        try first.tracks([audio])
        try second.tracks([audio])
        let bytes = [UInt8](repeating: 5, count: 333)
        for index in 0..<6000 as Range<Int64> {
            let sample = MediaSample(
                track: 0, pts: index * 1024, dts: index * 1024, duration: 1024, size: 333, isSync: true)
            try bytes.withUnsafeBytes { (buffer) throws in
                try first.sample(sample, bytes: buffer)
                try second.sample(sample, bytes: buffer)
            }
        }
        #expect(try first.finish().length == second.finish().length)
        let source = try FileSource(path: path)
        #expect(try source.bytes(0..<source.length, limit: 1 << 24) == inMemory.contents)
    }
}
