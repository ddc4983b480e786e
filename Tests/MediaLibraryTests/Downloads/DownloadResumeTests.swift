import HTTPTypes
import MediaCache
import MediaCacheTesting
import Testing

@testable import MediaLibrary

/// Tests of the order in which interrupted and failed parts are fetched again.
@Suite(.timeLimit(.minutes(60)))
struct DownloadResumeTests {
    private let fixture = DownloadFixture()

    private func segments(after count: Int) -> [ScriptedRequest] {
        fixture.library.origin.requests.dropFirst(count).filter { $0.url.description.hasSuffix(".ts") }
    }

    /// Fetches one part at a time. Runs `interrupt`, then `resume` in the same or the next process.
    private func run(
        inNextProcess: Bool, _ interrupt: (Downloads) async throws -> AssetID,
        then resume: (Downloads, AssetID) async throws -> Void
    ) async throws {
        let limits = DownloadLimits(assets: 1, transfersPerAsset: 1)
        guard inNextProcess else {
            return try await fixture.use(limits: limits) { try await resume($0, try await interrupt($0)) }
        }
        var id: AssetID?
        try await fixture.use(limits: limits) { id = try await interrupt($0) }
        try await fixture.use(limits: limits) { try await resume($0, try #require(id)) }
    }

    /// In the same or the next process, interrupted parts continue at their first missing byte. Then the parts that the
    /// last uninterrupted run listed as holes are fetched from the start, and then the rest in order.
    @Test(arguments: [true, false])
    func resumesInterruptedPartsFirstThenFailedOnes(inNextProcess: Bool) async throws {
        fixture.serveStream(segments: 8)
        for number in [2, 6] { fixture.always("\(number).ts", .status(404)) }
        let gate = ScriptedGate()
        var before = 0
        func interrupt(_ downloads: Downloads) async throws -> AssetID {
            let id = try await downloads.add(DownloadRequest(url: fixture.entry)).id
            try #require(try await fixture.end(id, of: downloads).state == .completeWithHoles)
            // Removes parts 1 and 4. The next run fails to fetch parts 1, 2 and 6, and is interrupted in part 4. It
            // doesn't list part 1 as a hole, because only a run that isn't interrupted lists its holes.
            for number in [1, 4] {
                let info = try #require(try await downloads.store.resource(for: fixture.url("\(number).ts")))
                _ = try await downloads.store.remove(id: info.id)
            }
            for number in [2, 6] { fixture.library.origin.always(fixture.url("\(number).ts")) }
            fixture.next("2.ts", .status(404))
            fixture.next("6.ts", .status(404))
            fixture.next("1.ts", .status(404))
            fixture.next("4.ts", .holdBody(at: 1504, gate))
            try await downloads.resume(id)
            await fixture.progress(downloads, id) { _ in
                fixture.library.origin.requests(for: fixture.url("4.ts")).last?.bodyBytes == 1504
            }
            // The bytes are cached after they are sent.
            while try await downloads.store.resource(for: fixture.url("4.ts"))?.bytesCached != 1504 {
                try Task.checkCancellation()
                await fixture.pass(downloads, id)
            }
            try await downloads.pause(id)
            before = fixture.library.origin.requests.count
            return id
        }
        func resume(_ downloads: Downloads, _ id: AssetID) async throws {
            try await downloads.resume(id)
            #expect(try await fixture.end(id, of: downloads).state == .complete)
        }
        try await run(inNextProcess: inNextProcess, interrupt, then: resume)
        let sent = segments(after: before)
        #expect(sent.map(\.url) == [4, 2, 6, 1].map { fixture.url("\($0).ts") })
        #expect(sent.first?.headerFields[.range] == "bytes=1504-1879")
        #expect(sent.dropFirst().allSatisfy { $0.bodyBytes == 1880 })
    }

    /// In the same or the next process, the notes about parts are combined with those of the first run.
    @Test(arguments: [true, false]) func combinesNotesOfInterruptedRuns(inNextProcess: Bool) async throws {
        fixture.serveStream(segments: 5)
        for number in 0..<5 {
            fixture.serve(CompressedSample.stored(DownloadFixture.packets(number)), at: "\(number).ts")
        }
        let gate = ScriptedGate()
        fixture.next("2.ts", .holdHead(gate))
        func interrupt(_ downloads: Downloads) async throws -> AssetID {
            let id = try await downloads.add(DownloadRequest(url: fixture.entry)).id
            await fixture.progress(downloads, id) { $0.parts.done == 2 && fixture.requests(for: "2.ts") == 1 }
            try await downloads.pause(id)
            return id
        }
        func resume(_ downloads: Downloads, _ id: AssetID) async throws {
            try await downloads.resume(id)
            let download = try await fixture.end(id, of: downloads)
            #expect(download.state == .complete)
            #expect(download.notes.map(\.url) == [fixture.url("0.ts").description])
            #expect(download.notes.first?.text.hasSuffix(" (and 4 more parts)") == true, "\(download.notes)")
        }
        try await run(inNextProcess: inNextProcess, interrupt, then: resume)
    }

    @Test func replacesCountsOfPartsCheckedAgain() {
        func note(_ number: Int, _ text: String) -> AssetContents.Note {
            AssetContents.Note(url: "http://h/\(number).ts", text: text)
        }
        var notes = NoteAggregator()
        for number in 1...3 { notes.add(note(number, "compressed")) }
        let earlier = [note(0, "compressed (and 1 more part)"), note(7, "a picture (and 0 more parts)")]
        #expect(
            notes.combined(with: earlier, replacesCounts: true)
                == [earlier[1], note(1, "compressed (and 2 more parts)")])
        #expect(
            notes.combined(with: earlier, replacesCounts: false)
                == [note(0, "compressed (and 4 more parts)"), earlier[1]])
    }

    /// A download that has no contents yet loads its playlist again.
    @Test func restartsDownloadWhosePlaylistFailed() async throws {
        fixture.serveStream(segments: 2)
        fixture.library.origin.next(fixture.entry, .status(404))
        try await fixture.use { downloads in
            let id = try await downloads.add(DownloadRequest(url: fixture.entry)).id
            #expect(try await fixture.end(id, of: downloads).state.failure != nil)
            await downloads.resumeAll()
            #expect(try await fixture.end(id, of: downloads).state == .complete)
        }
        #expect(fixture.requests(for: "index.m3u8") == 2)
        #expect(segments(after: 0).map(\.bodyBytes) == [1880, 1880])
    }
}
