import Foundation
import MediaCache
import MediaCacheAPI
import MediaCacheTesting
import MediaContainers
import MediaLibrary
import Testing

@testable import MediaCacheServer

/// Tests of MP4 files whose index is moved from the end to the front when they are served.
struct FastStartSourceTests: StreamSourceSuite {
    let origin = ScriptedOrigin()
    let time = ManualTime()
    let playlist: ResourceURL
    private let url: ResourceURL

    init() throws {
        url = try ResourceURL("http://origin.example/film.mp4")
        playlist = url
        origin[url] = ScriptedResource(.bytes(Self.film))
    }

    /// An audio file of several megabytes whose index is at the end.
    private static let film: [UInt8] = {
        var builder = MovieBuilder()
        let format = MediaFormat(codec: .mp3, sampleEntry: "mp4a", sampleRate: 48_000, channels: 2)
        let track = MediaTrack(id: 1, kind: .audio, formats: [format], timescale: 48_000)
        guard (try? builder.add(track)) != nil else { return [] }
        var media: [UInt8] = []
        for index in 0..<4000 {
            let time = Int64(index) * 1152
            let sample = MediaSample(track: 0, pts: time, dts: time, duration: 1152, size: 1000, isSync: true)
            guard (try? builder.add(sample)) != nil else { return [] }
            media += (0..<1000).map { UInt8(truncatingIfNeeded: index &* 7 &+ $0) }
        }
        let type: [UInt8] = [0, 0, 0, 16] + Array("ftypisom".utf8) + [0, 0, 2, 0]
        let head = type + MovieBuilder.mediaHeader(builder.mediaLength)
        return head + media + ((try? builder.movieBox(mediaStart: Int64(head.count))) ?? [])
    }()

    private func rearranged() throws -> [UInt8] {
        let view = try FastStart.view(of: MemorySource(Self.film))
        return try view.bytes(0..<view.length, limit: 1 << 24)
    }

    private func withView(
        isAlwaysOn: Bool = false, plans: FastStartPlans = FastStartPlans(),
        _ body: (FastStartSource) async throws -> Void
    ) async throws {
        try await withSource { streams, store in
            try await body(FastStartSource(store: store, base: streams, isAlwaysOn: isAlwaysOn, plans: plans))
        }
    }

    private func open(
        _ source: FastStartSource, _ range: RequestedRange = .all, requested: Bool = true
    ) async throws -> any MediaCacheServer.ByteReader {
        let options = PlayOptions(fastStart: requested)
        let target = try PlayTarget(PlayTarget.path(for: url, token: "K", options: options))
        let request = ReadRequest(url: url, range: range)
        if let reader = try source.readerIfOpen(request, for: target) { return reader }
        return try await source.reader(request, for: target)
    }

    private func contents(of reader: any MediaCacheServer.ByteReader) async throws -> [UInt8] {
        try await bytes(of: reader, maximum: 70_001)
    }

    @Test(arguments: [
        RequestedRange.all, .closed(0, through: 0), .closed(10, through: 40_000), .from(2_000_000), .suffix(77),
        .closed(15, through: 16),
    ])
    func servesRangesOfRearrangedFile(_ range: RequestedRange) async throws {
        let expected = try rearranged()
        try await withView { source in
            let reader = try await open(source, range)
            let part = try #require(range.resolved(in: Int64(expected.count)))
            #expect(reader.range == part && reader.head.length == Int64(expected.count))
            #expect(try await contents(of: reader) == Array(expected[Int(part.lowerBound)..<Int(part.upperBound)]))
        }
    }

    @Test func servesUnchangedFileByDefault() async throws {
        let expected = try rearranged()
        try await withView { source in
            let plain = try await open(source, requested: false)
            let tag = plain.head.entityTag
            #expect(try await contents(of: plain) == Self.film)
            // The original and the rearranged file of one URL have different entity tags.
            let view = try await open(source)
            #expect(view.head.entityTag != tag)
            view.cancel()
        }
        try await withView(isAlwaysOn: true) { source in
            let reader = try await open(source, requested: false)
            #expect(try await contents(of: reader) == expected)
        }
    }

    @Test func sharesLayoutBetweenReaders() async throws {
        let expected = try rearranged()
        try await withView { source in
            let readers = try await withThrowingTaskGroup(of: (any MediaCacheServer.ByteReader).self) { group in
                for _ in 0..<16 { group.addTask { try await self.open(source) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(readers.map(\.head.entityTag)).count == 1)
            for reader in readers { #expect(try await contents(of: reader) == expected) }
            #expect(origin.bodyBytes == Int64(Self.film.count))
        }
    }

    /// The origin chooses the entity tag, so an equal tag doesn't prove that the version is the same.
    @Test(arguments: [true, false])
    func refusesOtherVersionWithSameTag(hasSameLength: Bool) async throws {
        func resource(_ bytes: [UInt8]) -> ScriptedResource {
            ScriptedResource(.bytes(bytes), entityTag: "\"same\"", cacheControl: "no-store")
        }
        let text = Array("#EXTM3U\n#EXTINF:1,\nhttp://10.0.0.1/a.ts\n".utf8)
        let count = hasSameLength ? Self.film.count - text.count : 100
        origin[url] = resource(Self.film)
        try await withView { source in
            let reader = try await open(source)
            origin[url] = resource(text + [UInt8](repeating: 0x0A, count: count))
            let error = await #expect(throws: CacheError.self) { try await contents(of: reader) }
            #expect(error?.code == .representationChanged)
        }
    }

    @Test func limitsMemoryOfOpenReaders() async throws {
        try await withSource { _, store in
            var front = ReadRequest(url: url)
            front.range = .closed(0, through: FastStartPlans.frontLength - 1)
            let session = try await store.read(front)
            defer { session.cancel() }
            let found = try await FastStartPlans().layout(
                of: front, in: store, head: session.head, length: Int64(Self.film.count))
            let layout = try #require(found)
            let plans = FastStartPlans(maximumHeldBytes: 2 * Int(layout.generatedLength))
            var holds = [try plans.hold(layout), try plans.hold(layout)]
            #expect(throws: Problem.busy) { try plans.hold(layout) }
            holds.removeLast()
            holds.append(try plans.hold(layout))
            #expect(holds.count == 2)
        }
        try await withView(plans: FastStartPlans(maximumHeldBytes: 0)) { source in
            await #expect(throws: Problem.busy) { try await open(source) }
        }
    }

    @Test func refusesTooManyConcurrentFiles() async throws {
        try await withView(plans: FastStartPlans(maximumConcurrent: 0, maximumWaiting: 0)) { source in
            let refused = await #expect(throws: ConcurrencyLimit.Exceeded.self) { try await open(source) }
            #expect(refused.map { ErrorResponse($0).problem } == .busy)
            try await open(source, requested: false).cancel()
        }
    }

    @Test func refusesRangeOutsideFile() async throws {
        try await withView { source in
            let failure = await #expect(throws: CacheError.self) { try await open(source, .from(1 << 30)) }
            #expect(failure?.code == .rangeNotSatisfiable && failure?.completeLength == Int64(Self.film.count))
        }
    }

    @Test(arguments: [Array("no film".utf8), Array(film.prefix(100_000)), Array(film.prefix(3))])
    func servesInvalidFileUnchanged(bytes: [UInt8]) async throws {
        origin[url] = ScriptedResource(.bytes(bytes))
        try await withView { source in
            let reader = try await open(source)
            #expect(try await contents(of: reader) == bytes)
        }
    }
}
