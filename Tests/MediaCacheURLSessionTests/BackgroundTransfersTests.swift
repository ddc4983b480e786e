import Foundation
import HTTPTypes
import MediaCache
import MediaCacheTesting
import Synchronization
import Testing

@testable import MediaCacheURLSession

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(30)))
struct BackgroundTransfersTests {
    /// The error code of a truncated download, which FoundationNetworking doesn't distinguish from a lost connection.
    #if canImport(Darwin)
        private static let truncated = CacheError.Code.badResponse
    #else
        private static let truncated = CacheError.Code.unreachable
    #endif
    static let body = ScriptedBody.random(seed: 7, length: 900_000)

    private func with(
        _ resource: ScriptedResource = ScriptedResource(body, entityTag: "\"1\"", contentType: "video/mp4"),
        at path: String = "/film.mp4", limit: Int64? = nil, _ body: (BackgroundTransfersFixture) async throws -> Void
    ) async throws {
        let fixture = try await BackgroundTransfersFixture(resource, at: path, limit: limit)
        do {
            try await body(fixture)
        } catch {
            Issue.record(error)
        }
        await fixture.close()
    }

    @Test func storesReceivedFiles() async throws {
        try await with { fixture in
            #expect(try await fixture.transfers.fetch(fixture.url, scope: .any) == 1)
            let info = try await fixture.stored()
            #expect(info.isComplete && info.validator.entityTag == "\"1\"")
            #expect(try await fixture.read() == Self.body.bytes)
            #expect(fixture.server.origin.requests.count == 1)
            #expect(try fixture.delivered.isEmpty)
            #expect(try await fixture.transfers.fetch(fixture.url, scope: .any) == 0)
        }
    }

    @Test func requestsOnlyMissingRanges() async throws {
        try await with { fixture in
            try await fixture.keep(100_000..<300_000)
            try await fixture.keep(500_000..<600_000)
            let missing: [Range<Int64>] = [0..<100_000, 300_000..<500_000, 600_000..<900_000]
            #expect(try await fixture.transfers.fetch(fixture.url, scope: .any) == missing.count)
            for _ in missing { _ = try await fixture.stored() }
            #expect(try await fixture.store.resource(for: fixture.url)?.isComplete == true)
            #expect(try await fixture.read() == Self.body.bytes)
            let requests = fixture.server.origin.requests
            #expect(
                Set(requests.map { $0.headerFields[.range] })
                    == Set(missing.map { "bytes=\($0.lowerBound)-\($0.upperBound - 1)" }))
            #expect(requests.allSatisfy { $0.headerFields[.ifRange] == "\"1\"" })
        }
    }

    @Test func requestsManyHolesAsOneRange() async throws {
        try await with { fixture in
            for start in stride(from: Int64(50_000), to: 900_000, by: 90_000) {
                try await fixture.keep(start..<start + 10_000)
            }
            #expect(try await fixture.transfers.fetch(fixture.url, scope: .any) == 1)
            #expect(try await fixture.stored().isComplete)
            #expect(fixture.server.origin.requests.first?.headerFields[.range] == "bytes=0-899999")
            #expect(try await fixture.read() == Self.body.bytes)
        }
    }

    @Test func requestsOnlyGivenRange() async throws {
        try await with { fixture in
            let count = try await fixture.transfers.fetch(
                fixture.url, scope: .any, range: 200_000..<300_000, kind: .segment)
            #expect(count == 1)
            #expect(try await fixture.stored().spans == [200_000..<300_000])
            #expect(fixture.server.origin.bodyBytes == 100_000)
        }
    }

    @Test func doesNotRequestBytesOfRunningTransfersAgain() async throws {
        try await with { fixture in
            let gate = ScriptedGate()
            fixture.server.origin.next(fixture.url, .holdBody(at: 1000, gate))
            #expect(try await fixture.transfers.fetch(fixture.url, scope: .any) == 1)
            #expect(try await fixture.transfers.fetch(fixture.url, scope: .any) == 0)
            #expect(try await fixture.transfers.urlsInTransfer() == [fixture.url])
            gate.open()
            _ = try await fixture.stored()
            #expect(fixture.server.origin.requests.count == 1)
        }
    }

    /// The system treats transfers that begin in the background as discretionary, so no part may start late.
    @Test func startsTransfersOfAllPartsInOneCall() async throws {
        try await with { fixture in
            let gate = ScriptedGate()
            let urls = try (0..<20).map { try fixture.server.url("/\($0).mp4") }
            for url in urls {
                fixture.server.origin[url] = ScriptedResource(
                    .random(seed: 11, length: 1000), entityTag: "\"1\"", contentType: "video/mp4")
                fixture.server.origin.always(url, .holdHead(gate))
            }
            var parts = urls.map { BackgroundTransfers.Part($0, scope: .any) }
            var expected: [Int?] = parts.map { _ in 1 }
            // A part that can't be fetched doesn't prevent the following ones.
            let named = try ResourceURL("http://me:secret@\(fixture.url.authority)/film.mp4")
            parts.insert(BackgroundTransfers.Part(named, scope: .any), at: 1)
            expected.insert(nil, at: 1)
            // The bytes of a repeated part are requested once.
            parts.append(parts[0])
            expected.append(0)
            let counts = try await fixture.transfers.fetch(parts).map { try? $0.get() }
            #expect(counts == expected)
            #expect(try await fixture.transfers.urlsInTransfer() == Set(urls))
            gate.open()
            for _ in urls {
                let event = await fixture.next()
                guard case .stored = event else { throw BackgroundTransfersFixture.Unexpected(event: event) }
            }
            #expect(fixture.server.origin.requests.count == urls.count)
        }
    }

    /// All bytes of a cancelled transfer are lost.
    @Test func cancelPendingPreservesTransfersThatHaveReceivedBytes() async throws {
        try await with { fixture in
            let (transfers, store, gate) = (fixture.transfers, fixture.store, ScriptedGate())
            let begun = try fixture.server.url("/begun.mp4")
            fixture.server.origin[begun] = ScriptedResource(Self.body, entityTag: "\"2\"", contentType: "video/mp4")
            fixture.server.origin.next(begun, .holdBody(at: 100_000, gate))
            fixture.server.origin.next(fixture.url, .holdHead(ScriptedGate()))
            let parts = [begun, fixture.url].map { BackgroundTransfers.Part($0, scope: .any) }
            try await transfers.fetch(parts)
            while try await !transfers.tasks().contains(where: { $0.countOfBytesReceived > 0 }) {
                try await Task.sleep(for: .milliseconds(10))
            }
            try await transfers.cancelPending()
            #expect(try await fixture.failure().code == .cancelled)
            #expect(try await transfers.urlsInTransfer() == [begun])
            // A cancelled transfer isn't waited for.
            await transfers.waitForTransfers(of: fixture.url)
            let isOver = Mutex(false)
            async let end: Void = {
                await transfers.waitForTransfers(of: begun)
                isOver.withLock { $0 = true }
            }()
            for _ in 0..<100 { await Task.yield() }
            #expect(!isOver.withLock { $0 })
            gate.open()
            await end
            #expect(try await store.resource(for: begun)?.isComplete == true)
            #expect(fixture.server.origin.requests(for: begun).count == 1)
        }
    }

    /// The length is unknown while nothing is cached, so the rest can't be requested by itself.
    @Test func fetchesWholeResourceWhileRangeIsInTransfer() async throws {
        try await with { (fixture: BackgroundTransfersFixture) async throws -> Void in
            let gate = ScriptedGate()
            fixture.server.origin.next(fixture.url, .holdHead(gate))
            #expect(try await fixture.transfers.fetch(fixture.url, scope: .any, range: 0..<1000) == 1)
            await gate.waitForArrivals()
            #expect(try await fixture.transfers.fetch(fixture.url, scope: .any) == 1)
            #expect(try await fixture.stored().isComplete)
            #expect(try await fixture.transfers.fetch(fixture.url, scope: .any) == 0)
            gate.open()
            #expect(try await fixture.stored().isComplete)
            #expect(try await fixture.read() == Self.body.bytes)
        }
    }

    @Test func cancelEndsTransfersOfResource() async throws {
        try await with { fixture in
            fixture.server.origin.next(fixture.url, .holdBody(at: 1000, ScriptedGate()))
            _ = try await fixture.transfers.fetch(fixture.url, scope: .any)
            try await fixture.transfers.cancel(fixture.url)
            #expect(try await fixture.failure().code == .cancelled)
            #expect(try await fixture.transfers.urlsInTransfer().isEmpty)
        }
    }

    /// `If-Range` makes the origin send the whole new version. Its bytes must not be mixed with the cached ones.
    @Test func refusesToMixVersions() async throws {
        try await with { fixture in
            try await fixture.keep(0..<100_000)
            fixture.server.origin[fixture.url] = ScriptedResource(
                .random(seed: 8, length: 900_000), entityTag: "\"2\"", contentType: "video/mp4")
            _ = try await fixture.transfers.fetch(fixture.url, scope: .any)
            #expect(try await fixture.failure().code == .representationChanged)
            #expect(try await fixture.store.resource(for: fixture.url)?.spans == [0..<100_000])
            #expect(try await fixture.read(.closed(0, through: 99_999)) == Self.body.bytes(in: 0..<100_000))
            #expect(try fixture.delivered.isEmpty)
        }
    }

    @Test func refusesToCompletePartialResourceWithoutValidator() async throws {
        try await with(ScriptedResource(Self.body, entityTag: nil)) { fixture in
            try await fixture.keep(0..<100_000, entityTag: nil)
            await #expect { try await fixture.transfers.fetch(fixture.url, scope: .any) } throws: {
                ($0 as? CacheError)?.code == .invalidSetting
            }
        }
    }

    @Test(arguments: [
        (ScriptedFault.page(), CacheError.Code.notMedia), (.status(404), .originStatus), (.status(503), .originStatus),
        (.bodyShorter(by: 1000), truncated), (.headerFields([.cacheControl: "no-store"]), .storage),
        (.contentRange("bytes 5-9/10"), .badResponse),
    ])
    func doesNotStoreInvalidResponses(_ fault: ScriptedFault, _ code: CacheError.Code) async throws {
        try await with { fixture in
            fixture.server.origin.always(fixture.url, fault)
            _ = try await fixture.transfers.fetch(fixture.url, scope: .any, range: 0..<800_000)
            let failure = try await fixture.failure()
            #expect(failure.code == code, "\(failure)")
            #expect(try await fixture.store.resource(for: fixture.url)?.bytesCached ?? 0 == 0)
            #expect(try fixture.delivered.isEmpty)
        }
    }

    /// Without a validator, two responses may belong to different versions.
    @Test func doesNotCombineRangesWithoutValidator() async throws {
        try await with(ScriptedResource(Self.body, entityTag: nil)) { fixture in
            _ = try await fixture.transfers.fetch(fixture.url, scope: .any, range: 0..<1000, kind: .segment)
            #expect(try await fixture.stored().spans == [0..<1000])
            _ = try await fixture.store.removeAll()
            _ = try await fixture.transfers.fetch(fixture.url, scope: .any, range: 0..<1000, kind: .segment)
            _ = try await fixture.stored()
            let response = try fixture.response(1000..<2000, entityTag: nil)
            await #expect { try await fixture.store.ingest(response) } throws: {
                ($0 as? CacheError)?.code == .representationChanged
            }
        }
    }

    @Test func refusesURLsWithUserInformation() async throws {
        try await with { fixture in
            let named = try ResourceURL("http://me:secret@\(fixture.url.authority)/film.mp4")
            await #expect { try await fixture.transfers.fetch(named, scope: .any) } throws: {
                ($0 as? CacheError)?.code == .invalidSetting
            }
            #expect(fixture.server.origin.requests.isEmpty)
        }
    }

    @Test func updatesLengthFromLaterResponses() async throws {
        try await with { fixture in
            var response = try fixture.response(0..<1000)
            response.headerFields[.contentRange] = "bytes 0-999/*"
            #expect(try await fixture.store.ingest(response).length == nil)
            #expect(try await fixture.store.ingest(try fixture.response(1000..<2000)).length == Self.body.length)
            #expect(try await fixture.store.ingest(response).length == Self.body.length)
        }
    }

    @Test func doesNotEvictForResourceBeyondLimit() async throws {
        try await with(limit: 500_000) { fixture in
            let other = try fixture.server.url("/other.mp4")
            fixture.server.origin[other] = ScriptedResource(.random(seed: 9, length: 300_000), entityTag: "\"3\"")
            _ = try await fixture.transfers.fetch(other, scope: .any)
            _ = try await fixture.stored()
            _ = try await fixture.transfers.fetch(fixture.url, scope: .any)
            #expect(try await fixture.failure().code == .storage)
            #expect(try await fixture.store.resource(for: other)?.isComplete == true)
            #expect(try fixture.delivered.isEmpty)
        }
    }

    @Test func splitsLongResourcesIntoRanges() async throws {
        let length: Int64 = 70 << 20
        try await with(ScriptedResource(.random(seed: 10, length: length), entityTag: "\"1\"")) { fixture in
            fixture.server.origin.always(fixture.url, .holdHead(ScriptedGate()))
            let response = try fixture.response(0..<1000, of: .random(seed: 10, length: length))
            try await fixture.store.ingest(response)
            #expect(try await fixture.transfers.fetch(fixture.url, scope: .any) == 3)
            #expect(try await fixture.transfers.fetch(fixture.url, scope: .any, range: 5000..<6000) == 0)
            try await fixture.transfers.cancelAll()
            #expect(try await fixture.transfers.fetch(fixture.url, scope: .any, range: 5000..<6000) == 1)
        }
    }

    @Test func storesWholeBodyOfOriginThatIgnoresRanges() async throws {
        try await with { fixture in
            fixture.server.origin.always(fixture.url, .ignoresRange)
            _ = try await fixture.transfers.fetch(fixture.url, scope: .any, range: 200_000..<300_000)
            #expect(try await fixture.stored().isComplete)
            #expect(try await fixture.read() == Self.body.bytes)
        }
    }

    @Test func followsRedirects() async throws {
        try await with { fixture in
            let moved = try fixture.server.url("/moved.mp4")
            fixture.server.origin[moved] = ScriptedResource(Self.body, entityTag: "\"1\"", contentType: "video/mp4")
            fixture.server.origin.always(fixture.url, .redirect(to: "/moved.mp4"))
            _ = try await fixture.transfers.fetch(fixture.url, scope: .any)
            #expect(try await fixture.stored().isComplete)
            #expect(try await fixture.read() == Self.body.bytes)
        }
    }

    @Test func storesFilesReceivedDuringSuspensionAtNextLaunch() async throws {
        try await with { fixture in
            let gate = ScriptedGate()
            fixture.server.origin.next(fixture.url, .holdBody(at: 1000, gate))
            _ = try await fixture.transfers.fetch(fixture.url, scope: .any)
            await fixture.store.suspend()
            gate.open()
            while try fixture.delivered.count < 2 { await Task.yield() }
            await fixture.transfers.storeReceivedFiles()
            #expect(try fixture.delivered.count == 2)
            try await fixture.store.resume()
            try fixture.launch()
            await fixture.transfers.storeReceivedFiles()
            #expect(try fixture.delivered.isEmpty)
            #expect(try await fixture.store.resource(for: fixture.url)?.isComplete == true)
            #expect(try await fixture.read() == Self.body.bytes)
            #expect(fixture.server.origin.requests.count == 1)
        }
    }

    /// A locked device or a disk error may make a record unreadable for some time.
    @Test func preservesFileWhoseRecordCannotBeRead() async throws {
        try await with { fixture in
            let record = try fixture.deliver(0..<1000)
            let aside = URL(filePath: fixture.folder + "/aside")
            try FileManager.default.moveItem(at: record, to: aside)
            // A folder can't be read as a file, even by root.
            try FileManager.default.createDirectory(at: record, withIntermediateDirectories: false)
            await fixture.transfers.storeReceivedFiles()
            #expect(try fixture.delivered.count == 2)
            try FileManager.default.removeItem(at: record)
            try FileManager.default.moveItem(at: aside, to: record)
            await fixture.transfers.storeReceivedFiles()
            #expect(try await fixture.stored().spans == [0..<1000])
            #expect(try fixture.delivered.isEmpty)
        }
    }

    @Test func reportsDamagedDeliveries() async throws {
        try await with { fixture in
            let damaged = try fixture.deliver(0..<1000)
            try Data("{}".utf8).write(to: damaged)
            await fixture.transfers.storeReceivedFiles()
            let event = await fixture.next()
            guard case .discarded(let error) = event else { throw BackgroundTransfersFixture.Unexpected(event: event) }
            #expect(error.code == .damaged)
            let incomplete = try fixture.deliver(0..<1000)
            try FileManager.default.removeItem(at: incomplete.deletingPathExtension().appendingPathExtension("body"))
            await fixture.transfers.storeReceivedFiles()
            #expect(try await fixture.failure().code == .damaged)
            #expect(try fixture.delivered.isEmpty)
        }
    }

    /// The app may be launched without a network after the system has received a file.
    @Test func preservesFileWhileRedirectCannotBeChecked() async throws {
        try await with { fixture in
            let location = "http://nowhere.invalid/film.mp4"
            try fixture.deliver(0..<1000, location: location)
            await fixture.transfers.storeReceivedFiles()
            #expect(try fixture.delivered.count == 2)
            #expect(try await fixture.store.resource(for: fixture.url) == nil)
            // After 30 days the file is discarded, because the name may never be resolved.
            try fixture.deliver(0..<1000, location: location, received: Date(timeIntervalSinceNow: -31 * 86_400))
            await fixture.transfers.storeReceivedFiles()
            #expect(try await fixture.failure().code == .unreachable)
            #expect(try fixture.delivered.count == 2)
        }
    }

    @Test func reportsMissingNetworkAsUnreachable() async throws {
        try await with { fixture in
            let url = try ResourceURL("http://nowhere.invalid/film.mp4")
            await #expect { try await fixture.transfers.fetch(url) } throws: {
                ($0 as? CacheError)?.code == .unreachable
            }
        }
    }

    @Test func removesIncompleteDeliveries() async throws {
        try await with { fixture in
            for name in ["a.body", "b.json"] {
                try Data("{}".utf8).write(to: URL(filePath: fixture.folder + "/delivered/" + name))
            }
            try fixture.launch()
            await fixture.transfers.storeReceivedFiles()
            #expect(try fixture.delivered.isEmpty)
        }
    }

    /// The system launches the app for the session's events, and reports when it has delivered all of them.
    @Test func waitsForEndOfSystemEvents() async throws {
        try await with { fixture in
            let transfers = fixture.transfers
            transfers.handle(.deliveredAllEvents)
            await transfers.waitForDeliveredEvents()
            // The next call waits for the next report.
            let isOver = Mutex(false)
            async let end: Void = {
                await transfers.waitForDeliveredEvents()
                isOver.withLock { $0 = true }
            }()
            for _ in 0..<100 { await Task.yield() }
            #expect(!isOver.withLock { $0 })
            transfers.handle(.deliveredAllEvents)
            await end
            // `shutdown` ends the wait.
            async let last: Void = transfers.waitForDeliveredEvents()
            transfers.shutdown()
            await last
        }
    }

    /// The system cancels the app's task when the time for the events is over, and terminates an app whose task doesn't
    /// return.
    @Test func stopsWaitingForSystemEventsWhenCancelled() async throws {
        try await with { fixture in
            let transfers = fixture.transfers
            let task = Task { await transfers.waitForDeliveredEvents() }
            for _ in 0..<100 { await Task.yield() }
            task.cancel()
            await task.value
            // A call in a cancelled task doesn't begin to wait.
            let late = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                await transfers.waitForDeliveredEvents()
            }
            await late.value
        }
    }

    @Test func throwsClosedAfterShutdown() async throws {
        try await with { fixture in
            fixture.transfers.shutdown()
            await #expect { try await fixture.transfers.fetch(fixture.url, scope: .any) } throws: {
                ($0 as? CacheError)?.code == .closed
            }
        }
    }
}
