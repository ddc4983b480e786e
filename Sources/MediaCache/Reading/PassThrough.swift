import Synchronization

/// Bytes on their way from an origin to one reader that aren't kept: they may not be, or can't.
///
/// A bounded queue of buffers. The origin is read only while there's room; a reader that pauses for longer than the
/// idle limit costs no connection, and goes on at its byte.
final class PassThrough: Sendable {
    /// Ask for more while fewer bytes than this are waiting.
    private static let capacity = 512 << 10

    private struct State {
        var pieces: [OriginPiece] = []
        var position: Int64
        var byteCount = 0
        var isOver = false
        var failure: CacheError?
        var wake: (@Sendable () -> Void)?
        var room: CheckedContinuation<Void, Never>?
        var task: Task<Void, Never>?
        var isCancelled = false
    }

    private let reader: OriginReader
    private let engine: Engine
    private let state: Mutex<State>

    init(reader: OriginReader, position: Int64, engine: Engine) {
        self.reader = reader
        self.engine = engine
        state = Mutex(State(position: position))
    }

    func start() {
        let task = Task { await self.run() }
        state.withLock { $0.task = task }
    }

    private func run() async {
        do {
            while let piece = try await reader.next() {
                engine.counters.add(\.bytesFromOrigin, Int64(piece.part.count))
                let wake = state.withLock { state in
                    if !piece.isOverlap {
                        state.pieces.append(piece)
                        state.byteCount += piece.part.count
                    }
                    return Self.take(&state.wake)
                }
                wake?()
                await waitForRoom()
                if Task.isCancelled { break }
            }
            finish(nil)
        } catch {
            finish(CacheError.wrap(error, as: .unreachable, "the origin can't be read"))
        }
        await reader.close()
    }

    private func finish(_ failure: CacheError?) {
        let wake = state.withLock { state in
            state.isOver = true
            state.failure = failure
            return Self.take(&state.wake)
        }
        wake?()
    }

    private func waitForRoom() async {
        guard state.withLock({ $0.byteCount >= Self.capacity }) else { return }
        let limit = engine.configuration.transfers.idleLimit
        let time = engine.time
        let reader = reader
        let idle = Task {
            guard (try? await time.sleep(for: limit)) != nil else { return }
            await reader.close()
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let hasRoom = state.withLock { state in
                    if state.byteCount < Self.capacity || state.isCancelled { return true }
                    state.room = continuation
                    return false
                }
                if hasRoom { continuation.resume() }
            }
        } onCancel: {
            let room = state.withLock { Self.take(&$0.room) }
            room?.resume()
        }
        idle.cancel()
    }

    private static func take<Value>(_ value: inout Value?) -> Value? {
        defer { value = nil }
        return value
    }
}

extension PassThrough: ByteSource {
    func poll(maximum: Int, onReady: @escaping @Sendable () -> Void) -> ReadStep {
        state.withLock { state in
            if let piece = state.pieces.first {
                return .bytes(
                    self, offset: state.position, count: min(maximum, Int(piece.range.upperBound - state.position)))
            }
            if let failure = state.failure { return .failed(failure) }
            if state.isOver { return .end }
            state.wake = onReady
            return .wait
        }
    }

    func consume(_ count: Int) {
        let room = state.withLock { state in
            state.position += Int64(count)
            state.byteCount -= count
            while let first = state.pieces.first, first.range.upperBound <= state.position {
                state.pieces.removeFirst()
            }
            return state.byteCount < Self.capacity ? Self.take(&state.room) : nil
        }
        room?.resume()
    }

    func cancel() {
        let (task, room, wake) = state.withLock { state in
            state.isCancelled = true
            return (state.task, Self.take(&state.room), Self.take(&state.wake))
        }
        task?.cancel()
        room?.resume()
        wake?()
    }

    func readWithoutBlocking(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Bool {
        let piece = state.withLock { state in
            state.pieces.first { $0.range.contains(offset) }
        }
        guard let piece else { return false }
        return piece.withUnsafeBytes { bytes in
            let start = Int(offset - piece.offset)
            guard start + buffer.count <= bytes.count else { return false }
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<start + buffer.count]))
            return true
        }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws {
        guard readWithoutBlocking(into: buffer, at: offset) else {
            throw CacheError(.storage, "the bytes at \(offset) have been passed on already")
        }
    }
}
