import HTTPTypes
import Testing

@testable import MediaCache

/// Continuations are resumed before they are awaited, so that the tests need no other tasks.
@Suite(.timeLimit(.minutes(60)))
struct ExchangeStateTests {
    private typealias State = ExchangeState<[UInt8], Int>

    private final class NoBody: OriginBody {
        func next() async throws -> (any OriginBuffer)? { nil }
        func cancel() {}
    }

    private static let lost = CacheError(.unreachable, "the connection was lost")
    private static let cancelled = CacheError(.cancelled, "the request was cancelled")

    /// Returns the state of an exchange whose head has been received, and which pauses when 8 bytes are buffered.
    private func begunState() -> State {
        var state = State(pauseSize: 8)
        _ = state.beginBody()
        return state
    }

    /// Waits for the head. The continuation must be resumed by `change`.
    private func head(_ state: inout State, _ change: (inout State) -> Void) async throws -> OriginResponse {
        try await withCheckedThrowingContinuation { continuation in
            let isWaiting = state.waitForHead(continuation)
            #expect(isWaiting)
            change(&state)
        }
    }

    /// Reads a buffer. Without a buffer or an end, the continuation must be resumed by `change`.
    private func read(
        _ state: inout State, expecting reception: ReceptionChange? = nil, _ change: (inout State) -> Void = { _ in }
    ) async throws -> [UInt8]? {
        let buffer: (any OriginBuffer)? = try await withCheckedThrowingContinuation { continuation in
            let delivery = state.read(continuation, at: 7)
            #expect(delivery.reception == reception)
            delivery.resume()
            change(&state)
        }
        return buffer.map { $0.withUnsafeBytes { Array($0) } }
    }

    private func store(_ buffer: [UInt8], in state: inout State, below limit: Int = .max) -> State.Storing {
        state.store(buffer.count, below: limit) { $0.append(buffer) }
    }

    private func reception(_ state: inout State) -> ReceptionChange? { state.deliver().reception }

    private func failure(_ body: () async throws -> Void) async -> CacheError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? CacheError)?.code
        }
    }

    @Test func resumesTaskWithHeadOnce() async throws {
        var state = State(pauseSize: 8)
        let response = try await head(&state) { state in
            #expect(state.isWaitingForHead)
            let continuation = state.beginBody()
            continuation?.resume(returning: OriginResponse(status: 206, headerFields: [:], body: NoBody()))
            let second = state.beginBody()
            #expect(continuation != nil && second == nil)
        }
        #expect(response.status == 206 && !state.isWaitingForHead && !state.isOver)
    }

    @Test func endResumesTaskThatWaitsForHead() async {
        var state = State(pauseSize: 8)
        let code = await failure {
            _ = try await head(&state) { state in
                state.end(Self.lost).resume()
                // The first error remains.
                state.end(Self.cancelled).resume()
            }
        }
        let continuation = state.beginBody()
        #expect(code == .unreachable && continuation == nil && state.isOver && !state.isWaitingForHead)
    }

    @Test func endedExchangeAcceptsNoWaitingTask() async {
        var state = State(pauseSize: 8)
        state.end(Self.cancelled).resume()
        let code = await failure {
            let _: OriginResponse = try await withCheckedThrowingContinuation { continuation in
                let isWaiting = state.waitForHead(continuation)
                #expect(!isWaiting)
                continuation.resume(throwing: Self.cancelled)
            }
        }
        #expect(code == .cancelled)
    }

    @Test func waitingReaderReceivesFirstBuffer() async throws {
        var state = begunState()
        #expect(state.waitBegan == nil)
        let first = try await read(&state) { state in
            #expect(state.waitBegan == 7)
            let storing = [store([1, 2], in: &state), store([3], in: &state)]
            #expect(storing == [.stored, .stored])
            state.deliver().resume()
            // Without a waiting reader, nothing is delivered.
            state.deliver().resume()
        }
        #expect(first == [1, 2] && state.waitBegan == nil)
        #expect(try await read(&state) == [3])
    }

    @Test(arguments: [true, false])
    func readerReceivesBuffersBeforeEnd(isComplete: Bool) async throws {
        var state = begunState()
        _ = store([1], in: &state)
        _ = store([2], in: &state)
        state.end(isComplete ? nil : Self.lost).resume()
        let storing = store([3], in: &state)
        #expect(storing == .ended)
        let received = [try await read(&state), try await read(&state)]
        #expect(received == [[1], [2]])
        // The end is repeated.
        for _ in 0..<2 {
            let code = await failure {
                let end = try await read(&state)
                #expect(end == nil)
            }
            #expect(code == (isComplete ? nil : .unreachable))
        }
    }

    @Test(arguments: [true, false])
    func endResumesWaitingReader(isComplete: Bool) async {
        var state = begunState()
        let code = await failure {
            let end = try await read(&state) { $0.end(isComplete ? nil : Self.lost).resume() }
            #expect(end == nil)
        }
        #expect(code == (isComplete ? nil : .unreachable) && state.waitBegan == nil)
    }

    /// The end of dropped bytes must not look like the end of the body.
    @Test func readerReceivesErrorInsteadOfDroppedBuffers() async {
        var state = begunState()
        _ = store([1], in: &state)
        _ = store([2], in: &state)
        state.end(nil).resume()
        let ending = state.end(Self.cancelled, droppingBuffers: true)
        // The dropped buffers are returned, so that the caller can release them outside its lock.
        #expect(ending.dropped == [[1], [2]] && state.bufferedBytes == 0)
        ending.resume()
        let code = await failure { _ = try await read(&state) }
        #expect(code == .cancelled)
    }

    @Test func cancellationAfterLastBufferPreservesEnd() async throws {
        var state = begunState()
        _ = store([1], in: &state)
        state.end(nil).resume()
        _ = try await read(&state)
        state.end(Self.cancelled, droppingBuffers: true).resume()
        #expect(try await read(&state) == nil)
    }

    @Test func receptionPausesAndContinuesBelowHalf() async throws {
        var state = begunState()
        _ = store([1, 2, 3, 4, 5], in: &state)
        #expect(reception(&state) == nil)
        _ = store([6], in: &state)
        _ = store([7, 8, 9], in: &state)
        #expect(reception(&state) == .paused)
        // Bytes in transit are stored. The change is reported once.
        _ = store([10], in: &state)
        #expect(reception(&state) == nil)
        _ = try await read(&state)
        _ = try await read(&state)
        #expect(state.bufferedBytes == 4)
        _ = try await read(&state, expecting: .continued)
        _ = try await read(&state)
        #expect(state.bufferedBytes == 0)
    }

    @Test func receptionPausesAfterDeliveryToWaitingReader() async throws {
        var state = begunState()
        let first = try await read(&state) { state in
            _ = store([1, 2, 3], in: &state)
            _ = store([UInt8](repeating: 4, count: 8), in: &state)
            let delivery = state.deliver()
            #expect(delivery.reception == .paused)
            delivery.resume()
        }
        #expect(first == [1, 2, 3])
        _ = try await read(&state, expecting: .continued)
    }

    @Test func fullStateStoresNothingUntilReceptionContinues() async throws {
        var state = begunState()
        let buffer = [UInt8](repeating: 1, count: 20)
        let storing = [
            store(buffer, in: &state, below: 16), store([2], in: &state, below: 16), store([2], in: &state, below: 16),
        ]
        #expect(storing == [.stored, .full, .full])
        // Reception is already paused.
        #expect(reception(&state) == nil)
        #expect(try await read(&state, expecting: .continued) == buffer)
        let again = store([2], in: &state, below: 16)
        #expect(again == .stored)
    }

    @Test func receptionNeverChangesAfterEnd() async throws {
        var state = begunState()
        _ = store([UInt8](repeating: 1, count: 8), in: &state)
        #expect(reception(&state) == .paused)
        state.end(Self.lost).resume()
        #expect(reception(&state) == nil)
        _ = try await read(&state)
    }
}
