import HTTPTypes
import MediaCache
import MediaCacheTesting
import MediaContainers
import Testing

@testable import MediaLibrary

/// Tests of the ranges of files that are preloaded.
struct FilePreloadTests {
    /// An audio file of 60 seconds, with 400 bytes per frame and its index at the front.
    private struct Film {
        /// The offset of the first frame.
        var start: Int
        var bytes: [UInt8]
        var index: Range<Int>

        /// Returns the number of frames that begin before a time.
        static func frames(before seconds: Double) -> Int { Int((seconds * 44_100 / 1024).rounded(.up)) }

        init() throws {
            let file = BufferFile()
            var writer = MovieFileWriter(file, expectedDuration: 60)
            let format = MediaFormat(codec: .aac, configuration: [0x12, 0x10], sampleRate: 44_100, channels: 2)
            try writer.tracks([MediaTrack(id: 1, kind: .audio, formats: [format], timescale: 44_100)])
            let frame = [UInt8](repeating: 0x21, count: 400)
            for number in 0..<Self.frames(before: 60) {
                let time = Int64(number) * 1024
                let sample = MediaSample(
                    track: 0, pts: time, dts: time, duration: 1024, size: frame.count, isSync: true)
                try frame.withUnsafeBytes { (bytes) throws in try writer.sample(sample, bytes: bytes) }
            }
            _ = try writer.finish()
            bytes = file.bytes
            var (offset, index, start) = (0, 0..<0, 0)
            while offset + 8 <= bytes.count {
                let size = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
                let type = String(decoding: bytes[offset + 4..<offset + 8], as: UTF8.self)
                let header = size == 1 ? 16 : 8
                let length = size == 1 ? bytes[offset + 8..<offset + 16].reduce(0) { $0 << 8 | Int($1) } : size
                if type == "moov" { index = offset..<offset + length }
                if type == "mdat" { start = offset + header }
                offset += max(8, length)
            }
            (self.index, self.start) = (index, start)
        }

        /// Moves the index to the end. The media stays where it is, so its offsets are unchanged.
        mutating func moveIndexToEnd() {
            let moved = Array(bytes[index])
            bytes.replaceSubrange(index.lowerBound + 4..<index.lowerBound + 8, with: Array("free".utf8))
            index = bytes.count..<bytes.count + moved.count
            bytes += moved
        }
    }

    private final class BufferFile: RandomAccessSink {
        var bytes: [UInt8] = []

        func write(_ buffer: UnsafeRawBufferPointer, at offset: Int64) throws(ContainerError) {
            let end = Int(offset) + buffer.count
            if end > bytes.count { bytes += [UInt8](repeating: 0, count: end - bytes.count) }
            bytes.replaceSubrange(Int(offset)..<end, with: buffer)
        }

        func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ContainerError) -> Int {
            let count = max(0, min(buffer.count, bytes.count - Int(offset)))
            buffer.copyBytes(from: bytes[Int(offset)..<Int(offset) + count])
            return count
        }
    }

    private let fixture = DownloadFixture()

    /// Preloads a file, and returns the requested ranges.
    private func preload(
        _ bytes: [UInt8], type: String = "video/mp4", _ amount: PreloadAmount
    ) async throws -> (ranges: [String?], isReady: Bool) {
        fixture.serve(bytes, at: "film.mp4", type: type)
        let url = fixture.url("film.mp4")
        let store = try await fixture.library.open()
        let preloader = Preloader(store: store, loader: PlaylistLoader(store: store))
        await preloader.rank([url], amount: amount)
        await preloader.finished()
        let isReady = await preloader.isReady(url)
        await preloader.stop()
        await store.close()
        return (fixture.library.origin.requests(for: url).map { $0.headerFields[.range] }, isReady)
    }

    @Test func secondsOfMP4FollowItsSampleTables() async throws {
        let film = try Film()
        let end = film.start + Film.frames(before: 10) * 400
        let (ranges, isReady) = try await preload(film.bytes, .seconds(10))
        #expect(isReady && end < 1 << 18)
        #expect(ranges == ["bytes=0-65535", "bytes=65536-\(end - 1)"])
    }

    /// A player requests the index before it can play the beginning.
    @Test func fetchesIndexAtEnd() async throws {
        var film = try Film()
        film.moveIndexToEnd()
        let end = film.start + Film.frames(before: 10) * 400
        let (ranges, isReady) = try await preload(film.bytes, .seconds(10))
        #expect(isReady)
        #expect(
            ranges == [
                "bytes=0-65535", "bytes=\(film.index.lowerBound)-\(film.index.upperBound - 1)",
                "bytes=65536-\(end - 1)",
            ])
    }

    /// A limit of bytes doesn't include the index, without which they can't be played.
    @Test func fetchesIndexAtEndBesidesBytes() async throws {
        var film = try Film()
        film.moveIndexToEnd()
        let (ranges, isReady) = try await preload(film.bytes, .bytes(100_000))
        #expect(isReady)
        #expect(ranges == ["bytes=0-99999", "bytes=\(film.index.lowerBound)-\(film.index.upperBound - 1)"])
    }

    @Test func secondsBeyondEndIncludeWholeFile() async throws {
        let film = try Film()
        let (ranges, _) = try await preload(film.bytes, .seconds(3600))
        #expect(ranges == ["bytes=0-65535", "bytes=65536-\(film.bytes.count - 1)"])
    }

    /// For a file, a segment means 6 seconds.
    @Test func segmentsOfFileAreSeconds() async throws {
        let film = try Film()
        let end = film.start + Film.frames(before: 12) * 400
        #expect(try await preload(film.bytes, .segments(2)).ranges.last == "bytes=65536-\(end - 1)")
    }

    /// The bit rate is 128 kbit/s. The audio begins after an ID3 tag that is longer than the first request.
    @Test func secondsOfMP3FollowItsBitRate() async throws {
        let tag = Array("ID3".utf8) + [3, 0, 0, 0, 6, 13, 32] + [UInt8](repeating: 0, count: 100_000)
        let frame: [UInt8] = [0xFF, 0xFB, 0x90, 0x64] + [UInt8](repeating: 0, count: 413)
        let song = tag + (0..<5000).flatMap { _ in frame }
        let (ranges, isReady) = try await preload(song, type: "audio/mpeg", .seconds(20))
        #expect(isReady)
        let end = tag.count + Int(20 * 417 * 44_100 / 1152.0)
        #expect(
            ranges == ["bytes=0-65535", "bytes=65536-\(tag.count + 65_535)", "bytes=\(tag.count + 65_536)-\(end - 1)"])
    }

    /// The assumed rate is 1 MiB per second.
    @Test func secondsOfUnknownFormatHaveUsualRate() async throws {
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let (ranges, _) = try await preload(bytes, type: "video/x-matroska", .seconds(1))
        #expect(ranges == ["bytes=0-65535", "bytes=65536-1048575"])
    }

    /// The index can't be read, so only the requested bytes are fetched.
    @Test func damagedIndexDoesNotFailPreload() async throws {
        var film = try Film()
        film.bytes.replaceSubrange(
            film.index.lowerBound + 8..<film.index.upperBound,
            with: [UInt8](repeating: 0xFF, count: film.index.count - 8))
        let (ranges, isReady) = try await preload(film.bytes, .bytes(100_000))
        #expect(isReady && ranges == ["bytes=0-99999"])
    }
}
