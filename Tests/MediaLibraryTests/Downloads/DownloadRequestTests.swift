import Foundation
import MediaCache
import MediaCacheTesting
import Synchronization
import Testing

@testable import MediaLibrary

@Suite(.timeLimit(.minutes(60)))
struct DownloadRequestTests {
    private let fixture = DownloadFixture()

    private func serveGrowing() {
        fixture.library.serve(SamplePlaylist.live(from: 0, ["0.ts", "1.ts"]), at: fixture.entry)
        for number in 0..<2 { fixture.serve(DownloadFixture.packets(number), at: "\(number).ts") }
    }

    @Test func finishDoesNotAffectFiles() async throws {
        let url = fixture.file(length: 10_000)
        try await fixture.use { downloads in
            let id = try await downloads.add(DownloadRequest(url: url, startsPaused: true)).id
            try await downloads.finish(id)
            #expect(await downloads.status(of: id)?.asset.download?.state == .paused)
            #expect(fixture.library.origin.requests.isEmpty)
            try await downloads.resume(id)
            #expect(try await fixture.end(id, of: downloads).state == .complete)
            try await downloads.finish(id)
            let download = try #require(await downloads.status(of: id)?.asset.download)
            #expect(download.state == .complete && download.endsAt == nil)
        }
    }

    @Test func finishCompletesPausedStream() async throws {
        serveGrowing()
        try await fixture.use { downloads in
            let id = try await downloads.add(DownloadRequest(url: fixture.entry)).id
            await fixture.progress(downloads, id) { $0.parts.done == 2 }
            try await downloads.pause(id)
            try await downloads.finish(id)
            #expect(try await fixture.end(id, of: downloads).state == .complete)
        }
    }

    @Test func completesLiveStreamWithMissingPlaylist() async throws {
        serveGrowing()
        try await fixture.use { downloads in
            let id = try await downloads.add(DownloadRequest(url: fixture.entry)).id
            await fixture.progress(downloads, id) { $0.parts.done == 2 }
        }
        fixture.remove("index.m3u8")
        try await fixture.use { downloads in
            let id = try #require(await downloads.statuses().first?.asset.id)
            try await fixture.expectCompletion(of: id, downloads, parts: 2)
        }
    }

    @Test func setTitleWritesRecord() async throws {
        try await fixture.use { downloads in
            let id = try await downloads.add(DownloadRequest(url: fixture.entry, startsPaused: true)).id
            try await downloads.setTitle("Another", of: id)
            #expect(await downloads.unwritten.isEmpty)
            #expect(try await AssetStore(of: downloads.store).asset(id)?.title == "Another")
        }
    }

    private func change(_ id: AssetID, of downloads: Downloads, _ gate: RecordGate) async throws {
        try await downloads.setPriority(2, of: id)
        gate.noteEnd()
    }

    /// Two callers wait while a third caller's write fails. Then one of them writes the changes of both.
    @Test func changesReturnWhenRecordsAreWritten() async throws {
        let gate = RecordGate()
        let fixture = DownloadFixture(files: HookedFileSystem { try gate.pass($0, $1) })
        try await fixture.use { downloads in
            let one = try await downloads.add(DownloadRequest(url: fixture.url("1.mp4"), startsPaused: true)).id
            let two = try await downloads.add(DownloadRequest(url: fixture.url("2.mp4"), startsPaused: true)).id
            gate.close(failing: 3)
            async let first: Void = downloads.setPriority(1, of: one)
            await gate.arrived(1)
            async let second: Void = change(one, of: downloads, gate)
            async let third: Void = change(two, of: downloads, gate)
            while await downloads.writeWaiters.count < 2, !Task.isCancelled { await Task.yield() }
            for _ in 0..<3 { gate.releaseOne() }
            await gate.arrived(4)
            for _ in 0..<1000 { await Task.yield() }
            #expect(gate.ended == 0)
            gate.open()
            _ = try await (first, second, third)
            let written = await AssetStore(of: downloads.store)
            #expect(try await written.asset(one)?.download?.priority == 2)
            #expect(try await written.asset(two)?.download?.priority == 2)
        }
    }
}

/// A gate that blocks writes of records until it is opened.
private final class RecordGate: Sendable {
    private let state = Mutex((isClosed: false, arrived: 0, failing: 0, ended: 0))
    private let turns = DispatchSemaphore(value: 0)

    func pass(_ moment: HookedFileSystem.Moment, _ path: String) throws {
        guard case .replacing = moment else { return }
        let waits = state.withLock { state in
            if state.isClosed { state.arrived += 1 }
            return state.isClosed
        }
        guard waits else { return }
        turns.wait()
        let fails = state.withLock { state in
            state.failing -= 1
            return state.failing >= 0
        }
        if fails { throw SystemError(call: "write", path: path, number: ENOSPC) }
    }

    /// Blocks all writes from now on. The first `failing` of them fail.
    func close(failing: Int) { state.withLock { $0 = (true, 0, failing, 0) } }

    /// The number of changes whose callers have resumed.
    var ended: Int { state.withLock { $0.ended } }

    func noteEnd() { state.withLock { $0.ended += 1 } }

    func releaseOne() { turns.signal() }

    func open() {
        state.withLock { $0.isClosed = false }
        turns.signal()
    }

    /// Waits until the given number of writes have arrived, or the task is cancelled.
    func arrived(_ count: Int) async {
        while state.withLock({ $0.arrived }) < count, !Task.isCancelled { await Task.yield() }
    }
}
