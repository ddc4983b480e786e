import MediaCache
import MediaCacheTesting
import MediaContainers
import Testing

@testable import MediaLibrary

/// Tests of the event `playable`, which reports that a player can begin to play a download.
@Suite(.timeLimit(.minutes(60)))
struct PlayableDownloadTests {
    private let fixture = DownloadFixture()

    /// Returns the events of a download until it ends: `playable`, and the names of complete parts.
    private func events(of url: ResourceURL) async throws -> [String] {
        var names: [String] = []
        try await fixture.use(limits: DownloadLimits(transfersPerAsset: 1)) { downloads in
            let events = downloads.events()
            let id = try await downloads.add(DownloadRequest(url: url)).id
            _ = try await fixture.end(id, of: downloads)
            loop: for await event in events {
                switch event {
                case .playable: names.append("playable")
                case .partDone(_, let name, _): names.append(name)
                case .state(_, let state) where state.isEnded: break loop
                default: break
                }
            }
        }
        return names
    }

    @Test func streamIsPlayableAfterFirstSegment() async throws {
        fixture.serveStream(segments: 3)
        let events = try await events(of: fixture.entry)
        #expect(events.count { $0 == "playable" } == 1)
        #expect(events.firstIndex(of: "playable") == 1, "\(events)")
    }

    @Test func fileIsPlayableOnceItIsComplete() async throws {
        let events = try await events(of: fixture.file(length: 1000))
        #expect(events.filter { $0 == "playable" }.count == 1)
    }

    /// Returns an MP4 file whose boxes have the given sizes, including their headers.
    private func file(_ boxes: [(type: String, size: Int)]) -> [UInt8] {
        boxes.flatMap { type, size -> [UInt8] in
            let length = (0..<4).map { byte in UInt8(truncatingIfNeeded: size >> (24 - 8 * byte)) }
            return length + Array(type.utf8) + [UInt8](repeating: 0, count: size - 8)
        }
    }

    private func hasBeginning(_ bytes: [UInt8], cached ranges: [Range<Int64>]) -> Bool {
        (try? FileBeginning.read(PartialSource(bytes: MemorySource(bytes), ranges: ranges))) != nil
    }

    @Test func fileNeedsIndexAndBeginningOfMedia() {
        let fast = file([("ftyp", 16), ("moov", 100_000), ("free", 8), ("mdat", 1_000_000)])
        #expect(!hasBeginning(fast, cached: [0..<100_000]))
        #expect(!hasBeginning(fast, cached: [0..<300_000]))
        #expect(hasBeginning(fast, cached: [0..<400_000]))
        let slow = file([("ftyp", 16), ("mdat", 1_000_000), ("moov", 100_000)])
        #expect(!hasBeginning(slow, cached: [0..<1_000_000]))
        #expect(hasBeginning(slow, cached: [0..<400_000, 1_000_000..<1_100_016]))
        #expect(hasBeginning(file([("moov", 1000), ("moof", 500), ("mdat", 1_000_000)]), cached: [0..<300_000]))
        let song = [UInt8](repeating: 0xFF, count: 1_000_000)
        #expect(!hasBeginning(song, cached: [0..<200_000]))
        #expect(hasBeginning(song, cached: [0..<300_000]))
        #expect(hasBeginning(Array(song.prefix(1000)), cached: [0..<1000]))
    }

    /// A file of very many empty boxes, and one whose index is declared as huge.
    @Test func readsLittleOfHostileFile() {
        let many = file([(type: String, size: Int)](repeating: ("free", 8), count: 50_000))
        #expect(!hasBeginning(many, cached: [0..<Int64(many.count)]))
        let huge: [UInt8] = [0x7F, 0xFF, 0xFF, 0xFF] + Array("moov".utf8)
        #expect(!hasBeginning(huge, cached: [0..<8]))
    }

    /// A file with only some readable ranges.
    private struct PartialSource: ByteSource {
        let bytes: MemorySource
        let ranges: [Range<Int64>]

        var length: Int64 { bytes.length }

        func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ContainerError) -> Int {
            guard let range = ranges.first(where: { $0.contains(offset) }) else {
                throw ContainerError(.inputOutput, "not cached", at: offset)
            }
            let count = min(buffer.count, Int(range.upperBound - offset))
            return try bytes.read(at: offset, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
        }
    }
}
