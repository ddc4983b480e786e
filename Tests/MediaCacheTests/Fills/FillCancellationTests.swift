import MediaCacheTesting
import Synchronization
import Testing

@testable import MediaCache

/// Tests of fills that are cancelled at a particular step.
struct FillCancellationTests {
    /// An executor that runs a task's steps when the test requests it.
    private final class SteppedExecutor: TaskExecutor {
        private let jobs = Mutex<[UnownedJob]>([])

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            jobs.withLock { $0.append(job) }
        }

        /// Whether a step is waiting.
        var isDue: Bool { jobs.withLock { !$0.isEmpty } }

        func runDue() {
            while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
                job.runSynchronously(on: asUnownedTaskExecutor())
            }
        }
    }

    /// The response has been received, and the task is cancelled before it resumes.
    @Test func endsFillCancelledAfterResponse() async throws {
        let fixture = try EngineFixture(serving: ScriptedResource(.random(seed: 12, length: 3_000_000)))
        let (head, body) = (ScriptedGate(), ScriptedGate())
        fixture.origin.always(fixture.url, .holdHead(head), .holdBody(at: 65_536, body), .bufferSize(64 << 10))
        let store = try await fixture.open()
        let executor = SteppedExecutor()
        let ended = Mutex(false)
        let request = ReadRequest(url: fixture.url, transferClass: .preload)
        let fill = Task(executorPreference: executor) {
            defer { ended.withLock { $0 = true } }
            _ = try await store.fill(request)
        }
        while head.arrivals == 0 || executor.isDue {
            executor.runDue()
            await Task.yield()
        }
        head.open()
        while !executor.isDue { await Task.yield() }
        fill.cancel()
        while !ended.withLock({ $0 }) {
            executor.runDue()
            await Task.yield()
        }
        executor.runDue()
        await #expect(throws: CacheError.self) { try await fill.value }
        #expect(fixture.origin.requests.map(\.progress) == [.cancelled])
        body.open()
        await store.close()
    }
}
