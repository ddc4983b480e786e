import MediaCacheTesting
import Synchronization
import Testing

@testable import MediaCache

struct ContentObserverTests {
    private static let body = ScriptedBody.random(seed: 99, length: 12_000_000)
    private let fixture: EngineFixture

    init() throws { fixture = try EngineFixture(serving: ScriptedResource(Self.body)) }

    private final class Seen: Sendable {
        let spans = Mutex(SpanMap())
        let wrong = Mutex(0)
        let missed = Mutex<Int64>(0)

        var byteCount: Int64 { spans.withLock { $0.byteCount } }

        func take(_ bytes: ObservedBytes, of body: ScriptedBody) {
            let isRight = bytes.withUnsafeBytes { body.matches($0, at: bytes.range.lowerBound) }
            spans.withLock { $0.insert(bytes.range) }
            if !isRight { wrong.withLock { $0 += 1 } }
            missed.withLock { $0 += bytes.missed }
        }
    }

    @Test func observesBytesBeforeTransform() async throws {
        let seen = Seen()
        let store = try await fixture.open {
            $0.transforms = [
                .inPlace("zero", kinds: [.file]) { bytes, _ in bytes.initializeMemory(as: UInt8.self, repeating: 0) }
            ]
            $0.observers = [
                ContentObserver { seen.take($0, of: Self.body) },
                ContentObserver(kinds: [.key]) { _ in Issue.record("a resource that isn't a key was observed") },
            ]
        }
        let bytes = try await store.bytes(fixture.url, .closed(0, through: 999_999))
        #expect(bytes == [UInt8](repeating: 0, count: 1_000_000))
        while seen.byteCount < 1_000_000 { await Task.yield() }
        #expect(seen.wrong.withLock { $0 } == 0)
        // Cached bytes aren't observed again.
        let count = seen.byteCount
        _ = try await store.bytes(fixture.url, .closed(0, through: 999))
        #expect(seen.byteCount == count)
        await store.close()
    }

    @Test func doesNotDelayTransfers() async throws {
        let (seen, gate) = (Seen(), AsyncStream.makeStream(of: Void.self))
        let store = try await fixture.open {
            $0.observers = [
                ContentObserver { bytes in
                    for await _ in gate.stream {}
                    seen.take(bytes, of: Self.body)
                }
            ]
        }
        #expect(try await store.bytes(fixture.url) == Self.body.bytes)
        #expect(seen.byteCount == 0)
        gate.continuation.finish()
        let url = try ResourceURL("http://origin.example/other.mp4")
        fixture.origin[url] = ScriptedResource(Self.body)
        while seen.byteCount < 4 << 20 { await Task.yield() }
        _ = try await store.bytes(url, .closed(0, through: 99))
        while seen.missed.withLock({ $0 }) == 0 { await Task.yield() }
        #expect(seen.missed.withLock { $0 } > 7_000_000)
        #expect(seen.wrong.withLock { $0 } == 0)
        await store.close()
    }
}
