import Foundation
import MediaCache
import Synchronization

@testable import MediaCacheServer

/// Bytes in memory that simulate a slow disk, a file sent by the system, or read errors.
final class FakeBytes: BlobReader, Sendable {
    private struct State {
        var isResident: Bool
        var failures: Int
        var reads: [Range<Int64>] = []
    }

    let bytes: [UInt8]
    private let descriptor: Int32?
    private let state: Mutex<State>

    init(_ bytes: [UInt8], isResident: Bool = true, failures: Int = 0, descriptor: Int32? = nil) {
        self.bytes = bytes
        self.descriptor = descriptor
        state = Mutex(State(isResident: isResident, failures: failures))
    }

    var reads: [Range<Int64>] { state.withLock(\.reads) }

    func descriptor(forSending range: Range<Int64>) -> Int32? { descriptor }

    func readWithoutBlocking(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Bool {
        let isResident = state.withLock { $0.isResident }
        guard isResident else { return false }
        try read(into: buffer, at: offset)
        return true
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws {
        let fails = state.withLock { state in
            state.reads.append(offset..<offset + Int64(buffer.count))
            guard state.failures > 0 else { return false }
            state.failures -= 1
            return true
        }
        if fails { throw CacheError(.damaged, "a block doesn't match its checksum") }
        bytes.withUnsafeBytes { all in
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: all[Int(offset)..<Int(offset) + buffer.count]))
        }
    }
}

/// A reader whose bytes become available when the test advances it.
final class FakeReader: ByteReader, Sendable {
    struct State {
        var offset: Int64
        var available: Int64
        var error: CacheError?
        var onReady: (@Sendable () -> Void)?
        var isCancelled = false
        var polls = 0
        var failedReads = 0
    }

    let head: ResourceHead
    let range: Range<Int64>
    let acceptsRanges: Bool
    private let source: FakeBytes
    private let endsAt: Int64
    let state: Mutex<State>

    init(
        head: ResourceHead, range: Range<Int64>, source: FakeBytes, available: Int64 = .max, acceptsRanges: Bool = true
    ) {
        self.acceptsRanges = acceptsRanges
        self.head = head
        self.range = range
        self.source = source
        endsAt = min(range.upperBound, Int64(source.bytes.count))
        state = Mutex(State(offset: range.lowerBound, available: available))
    }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func poll(maximum: Int, onReady: @escaping @Sendable () -> Void) -> ReadStep {
        state.withLock { state in
            state.polls += 1
            if state.isCancelled { return .failed(CacheError(.cancelled, "cancelled")) }
            if state.offset >= endsAt { return .end }
            let count = min(Int64(maximum), min(state.available, endsAt) - state.offset)
            if count > 0 { return .bytes(source, offset: state.offset, count: Int(count)) }
            if let error = state.error { return .failed(error) }
            state.onReady = onReady
            return .wait
        }
    }

    func consume(_ count: Int) { state.withLock { $0.offset += Int64(count) } }

    func readFailed(count: Int, error: any Error) { state.withLock { $0.failedReads += 1 } }

    func cancel() { state.withLock { $0.isCancelled = true } }

    /// Makes bytes up to `offset` available, or sets an error, and calls the waiting handler.
    func advance(to offset: Int64, error: CacheError? = nil) {
        let onReady = state.withLock { state in
            state.available = max(state.available, offset)
            state.error = error
            defer { state.onReady = nil }
            return state.onReady
        }
        onReady?()
    }
}

/// A source of one resource.
final class FakeSource: ByteReaderSource, Sendable {
    struct State {
        var requests: [ReadRequest] = []
        var readers: [FakeReader] = []
        var error: CacheError?
    }

    let head: ResourceHead
    let bytes: FakeBytes
    private let available: Int64
    private let isOpen: Bool
    private let acceptsRanges: Bool
    let state = Mutex(State())

    init(
        _ bytes: [UInt8], contentType: String = "video/mp4", entityTag: String = "\"v1\"",
        lastModified: String? = "Sun, 06 Nov 1994 08:49:37 GMT", knowsLength: Bool = true, isStale: Bool = false,
        isOpen: Bool = true, acceptsRanges: Bool = true, isResident: Bool = true, readFailures: Int = 0,
        descriptor: Int32? = nil, available: Int64 = .max
    ) {
        self.bytes = FakeBytes(bytes, isResident: isResident, failures: readFailures, descriptor: descriptor)
        self.isOpen = isOpen
        self.acceptsRanges = acceptsRanges
        self.available = available
        head = ResourceHead(
            length: knowsLength ? Int64(bytes.count) : nil, contentType: contentType,
            validator: Validator(entityTag: entityTag, lastModified: lastModified),
            validatedAt: Date(timeIntervalSince1970: 0), isStale: isStale, entityTag: entityTag)
    }

    var requests: [ReadRequest] { state.withLock { $0.requests } }
    var readers: [FakeReader] { state.withLock { $0.readers } }

    func fail(with error: CacheError) { state.withLock { $0.error = error } }

    func readerIfOpen(_ request: ReadRequest, for target: PlayTarget) throws -> (any ByteReader)? {
        isOpen ? try open(request) : nil
    }

    func reader(_ request: ReadRequest, for target: PlayTarget) async throws -> any ByteReader { try open(request) }

    private func open(_ request: ReadRequest) throws -> FakeReader {
        if let error = state.withLock({ $0.error }) { throw error }
        let range: Range<Int64>
        if let length = head.length {
            guard let resolved = (acceptsRanges ? request.range : .all).resolved(in: length) else {
                throw CacheError(.rangeNotSatisfiable, "outside", completeLength: length)
            }
            range = resolved
        } else {
            range = (request.range.knownStart ?? 0) ..< .max
        }
        let reader = FakeReader(
            head: head, range: range, source: bytes, available: available, acceptsRanges: acceptsRanges)
        state.withLock {
            $0.requests.append(request)
            $0.readers.append(reader)
        }
        return reader
    }
}
