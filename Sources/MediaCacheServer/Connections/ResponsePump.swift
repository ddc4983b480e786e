import Foundation
import MediaCache
import NIOCore
import NIOPosix

/// The receiver of a pump's progress, on its event loop.
protocol ResponsePumpDelegate: AnyObject {
    /// The first bytes or the end have been received, so the head can be written.
    func pumpWillWrite()
    /// All bytes have been written, but not flushed.
    func pumpDidEnd()
    /// No more bytes will be received.
    func pumpDidFail(_ error: CacheError)
}

/// A pump that sends the bytes of one reader to a client, as fast as the client accepts them. It lives on one event
/// loop.
///
/// It continues when the channel becomes writable or bytes are received, but never in the completion of a write: a
/// write that completes immediately would recurse. Large pieces of a file that are in the page cache are sent by the
/// system, without a copy in this process. Bytes that aren't in memory are read on a thread pool, so that the disk
/// never delays other connections of the loop.
final class ResponsePump {
    /// The number of bytes written before other connections get their turn.
    private static let turn = 4 << 20
    /// The number of consecutive read failures that end the response.
    private static let maximumReadFailures = 4
    /// The maximum number of bytes that are copied although the system could send them from their file. A copy is
    /// written together with the head, and a separate write of the head costs more than the copy.
    private static let maximumCopied = 128 << 10
    /// The maximum number of bytes in one send from the file. They use no memory of this process.
    private static let maximumSent = 2 << 20
    /// The interval at which bytes that wait to be sent from their file are read again.
    private static let refreshInterval = TimeAmount.seconds(1)

    private let reader: any ByteReader
    private let writer: ResponseWriter
    private let pool: NIOThreadPool
    private let pieces: PieceBuffers
    private weak var delegate: (any ResponsePumpDelegate)?
    private var onReady: (@Sendable () -> Void)?
    private var remaining: Int64
    private var hasBegun = false
    private var isPumping = false
    private var isReading = false
    /// The bytes that the system is sending, which the reader still retains.
    private var sending: (source: any BlobReader, range: Range<Int64>)?
    private var isSending: Bool { sending != nil }
    private var isRefreshing = false
    private var isFinished = false
    private var readFailures = 0

    init(
        reader: any ByteReader, writer: ResponseWriter, pieces: PieceBuffers, pool: NIOThreadPool,
        delegate: any ResponsePumpDelegate
    ) {
        self.reader = reader
        self.writer = writer
        self.pieces = pieces
        self.pool = pool
        self.delegate = delegate
        let range = reader.range
        remaining = range.upperBound == .max ? .max : range.upperBound - range.lowerBound
    }

    /// Starts the pump, which the channel and the reader then drive.
    func start() {
        let loop = writer.eventLoop
        let bound = NIOLoopBound(self, eventLoop: loop)
        // Created once, because the reader stores it whenever it has no bytes to read. `finish` breaks the retain
        // cycle.
        onReady = { loop.execute { bound.value.pump() } }
        pump()
    }

    /// Writes available bytes until the client has enough, none are left, or other connections need their turn.
    func pump() {
        guard !isPumping, !isReading, !isSending, !isFinished, let onReady else { return }
        isPumping = true
        defer { isPumping = false }
        var budget = Self.turn
        while !isFinished, !isReading, !isSending, writer.isWritable {
            guard remaining > 0 else { return end() }
            guard budget > 0 else {
                onReady()
                return
            }
            let maximum = Int(min(Int64(Self.maximumSent), remaining))
            switch reader.poll(maximum: maximum, onReady: onReady) {
            case .bytes(let source, let offset, let count):
                budget -= count
                take(min(count, maximum), of: source, at: offset)
            case .wait: return
            case .end:
                if remaining == .max { return end() }
                return fail(CacheError(.badResponse, "the resource ended \(remaining) bytes early"))
            case .failed(let error): return fail(error)
            }
        }
    }

    /// Cancels the reader without notifying the delegate.
    func cancel() {
        guard !isFinished else { return }
        finish()
    }

    private func take(_ count: Int, of source: any BlobReader, at offset: Int64) {
        if count > Self.maximumCopied, writer.supportsFileRegions,
            let descriptor = source.descriptor(forSending: offset..<offset + Int64(count))
        {
            return send(count, of: source, at: offset, from: descriptor)
        }
        let count = min(count, PieceBuffers.pieceSize)
        do {
            guard let buffer = try pieces.fill(count, { try source.readWithoutBlocking(into: $0, at: offset) }) else {
                return takeFromDisk(count, of: source, at: offset)
            }
            deliver(buffer)
        } catch {
            readFailed(count, error)
        }
    }

    /// Has the system send bytes from their file. The reader retains them until they are sent, because a released
    /// range of the file may be reused.
    private func send(_ count: Int, of source: any BlobReader, at offset: Int64, from descriptor: Int32) {
        begin()
        guard !isFinished else { return }
        sending = (source, offset..<offset + Int64(count))
        // Evaluated first, because the write may complete before `writeBody` returns.
        let isLast = Int64(count) == remaining
        let handle = NIOFileHandle(_deprecatedTakingOwnershipOfDescriptor: descriptor)
        let region = FileRegion(fileHandle: handle, readerIndex: Int(offset), endIndex: Int(offset) + count)
        let bound = NIOLoopBound((self, source), eventLoop: writer.eventLoop)
        writer.writeBody(region).whenComplete { result in
            // The descriptor never belonged to the handle. Its owner is retained until here.
            _ = try? handle.takeDescriptorOwnership()
            bound.value.0.didSend(count, result)
        }
        if isLast {
            // The end of the response is written now; only the reader waits until all bytes are sent.
            remaining = 0
            end()
        } else {
            writer.flush()
        }
        keepSentInMemory()
    }

    /// Keeps bytes that wait for the client in the page cache, by reading them once a second off the loop.
    ///
    /// The system reads them from the file when the client accepts more, which may be long after they were found in the
    /// page cache, for example when a player is paused. If they had been evicted, the loop would wait for the disk and
    /// delay all its connections.
    private func keepSentInMemory() {
        guard isSending, !isRefreshing else { return }
        isRefreshing = true
        let loop = writer.eventLoop
        let bound = NIOLoopBound(self, eventLoop: loop)
        loop.scheduleTask(in: Self.refreshInterval) { bound.value.refresh() }
    }

    private func refresh() {
        guard let (source, range) = sending else {
            isRefreshing = false
            return
        }
        let loop = writer.eventLoop
        let bound = NIOLoopBound(self, eventLoop: loop)
        pool.submit { state in
            if case .active = state {
                withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 4096) { buffer in
                    for lower in stride(from: range.lowerBound, to: range.upperBound, by: buffer.count) {
                        let count = Int(min(Int64(buffer.count), range.upperBound - lower))
                        // A failure is reported when the bytes are sent.
                        try? source.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]), at: lower)
                    }
                }
            }
            loop.execute {
                bound.value.isRefreshing = false
                bound.value.keepSentInMemory()
            }
        }
    }

    private func didSend(_ count: Int, _ result: Result<Void, any Error>) {
        sending = nil
        switch result {
        case .success: reader.consume(count)
        case .failure(let error):
            // The connection closes, and the next request refetches the bytes.
            if (error as? IOError)?.errnoCode == EIO { reader.readFailed(count: count, error: error) }
            isFinished = true
            onReady = nil
        }
        guard !isFinished else { return reader.cancel() }
        readFailures = 0
        if remaining != .max { remaining -= Int64(count) }
        if !isPumping { onReady?() }
    }

    private func takeFromDisk(_ count: Int, of source: any BlobReader, at offset: Int64) {
        isReading = true
        let loop = writer.eventLoop
        let bound = NIOLoopBound(self, eventLoop: loop)
        pool.submit { state in
            let result = Result<ByteBuffer, any Error> {
                guard case .active = state else { throw CancellationError() }
                var buffer = ByteBufferAllocator().buffer(capacity: count)
                try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { memory in
                    try source.read(into: UnsafeMutableRawBufferPointer(rebasing: memory[..<count]), at: offset)
                    return count
                }
                return buffer
            }
            loop.execute { bound.value.didReadFromDisk(result, count) }
        }
    }

    private func didReadFromDisk(_ result: Result<ByteBuffer, any Error>, _ count: Int) {
        isReading = false
        guard !isFinished else { return }
        switch result {
        case .success(let buffer): deliver(buffer)
        case .failure(let error): readFailed(count, error)
        }
        pump()
    }

    private func deliver(_ buffer: ByteBuffer) {
        begin()
        let count = buffer.readableBytes
        reader.consume(count)
        readFailures = 0
        if remaining != .max { remaining -= Int64(count) }
        writer.writeBody(buffer)
        if remaining > 0 { writer.flush() } else { end() }
    }

    private func readFailed(_ count: Int, _ error: any Error) {
        readFailures += 1
        guard readFailures >= Self.maximumReadFailures else { return reader.readFailed(count: count, error: error) }
        fail(CacheError.wrap(error, as: .storage, "the cached bytes can't be read"))
    }

    private func begin() {
        guard !hasBegun else { return }
        hasBegun = true
        delegate?.pumpWillWrite()
    }

    private func end() {
        guard !isFinished else { return }
        begin()
        finish()
        delegate?.pumpDidEnd()
    }

    private func fail(_ error: CacheError) {
        guard !isFinished else { return }
        finish()
        delegate?.pumpDidFail(error)
    }

    private func finish() {
        isFinished = true
        onReady = nil
        // The reader still retains the bytes that the system is sending.
        if !isSending { reader.cancel() }
    }
}
