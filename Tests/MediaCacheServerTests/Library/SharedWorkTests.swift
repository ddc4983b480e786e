import MediaCache
import MediaLibrary
import Synchronization
import Testing

@testable import MediaCacheServer

/// Tests of shared computations and of concurrency limits.
@Suite(.timeLimit(.minutes(30)))
struct SharedWorkTests {
    private struct Failure: Error {}

    private final class Count: Sendable {
        let value = Atomic(0)
    }

    private static func waitForCancelling(_ isOver: AsyncStream<Void>.Continuation) async throws -> Int {
        defer { isOver.finish() }
        while true {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test func sharesComputation() async throws {
        let results = SharedResults<Int>(maximumCount: 2, maximumCost: 10, cost: { Int64($0) })
        let found = Count()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try await results.value(for: "a") {
                        found.value.add(1, ordering: .relaxed)
                        return 3
                    }
                }
            }
            for try await value in group { #expect(value == 3) }
        }
        #expect(found.value.load(ordering: .relaxed) == 1)
        // A result above the cost limit isn't stored.
        for number in 0..<2 { #expect(try await results.value(for: "b") { 11 + number } == 11 + number) }
        results.forget("a")
        #expect(try await results.value(for: "a") { 4 } == 4)
    }

    /// A later caller starts the computation again.
    @Test func cancelsComputationWithLastCaller() async throws {
        let results = SharedResults<Int>(maximumCount: 2, maximumCost: 10, cost: { Int64($0) })
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let (over, isOver) = AsyncStream<Void>.makeStream()
        let first = Task {
            try await results.value(for: "a") {
                begin.finish()
                return try await Self.waitForCancelling(isOver)
            }
        }
        // The second caller must not start the computation.
        for await _ in begun {}
        let second = Task { try await results.value(for: "a") { throw Failure() } }
        first.cancel()
        second.cancel()
        for await _ in over {}
        await #expect(throws: CancellationError.self) { try await first.value }
        _ = await second.result
        #expect(try await results.value(for: "a") { 5 } == 5)
    }

    @Test func forgetsResultOfRunningComputation() async throws {
        let results = SharedResults<Int>(maximumCount: 2, maximumCost: 10, cost: { Int64($0) })
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let (opened, open) = AsyncStream<Void>.makeStream()
        let outdated = Task {
            try await results.value(for: "a") {
                begin.finish()
                for await _ in opened {}
                return 1
            }
        }
        for await _ in begun {}
        results.forget("a")
        open.finish()
        #expect(try await outdated.value == 1)
        #expect(try await results.value(for: "a") { 2 } == 2)
    }

    @Test func limitsConcurrencyAndForgetsCancelledCallers() async throws {
        let limit = ConcurrencyLimit(1, maximumWaiting: 1)
        let strict = ConcurrencyLimit(1, maximumWaiting: 0)
        let (opened, open) = AsyncStream<Void>.makeStream()
        let (entered, enter) = AsyncStream<Void>.makeStream()
        let holder = Task {
            try await limit.run {
                try await strict.run {
                    enter.finish()
                    for await _ in opened {}
                }
            }
        }
        for await _ in entered {}
        await #expect(throws: ConcurrencyLimit.Exceeded.self) { try await strict.run {} }
        // A cancelled operation no longer counts as waiting.
        for _ in 0..<10 {
            let cancelled = Task { try await limit.run {} }
            cancelled.cancel()
            await #expect(throws: CancellationError.self) { try await cancelled.value }
        }
        let next = Task { try await limit.run { 7 } }
        open.finish()
        try await holder.value
        #expect(try await next.value == 7)
        #expect(try await strict.run { 8 } == 8)
    }
}
