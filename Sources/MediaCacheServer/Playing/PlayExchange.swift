import Foundation
import MediaCache
import MediaLibrary
import NIOCore
import NIOHTTP1
import NIOPosix

/// The exchange of a GET or HEAD for media: opens readers, selects the response and sends the bytes.
final class PlayExchange: Exchange, ResponsePumpDelegate {
    /// The maximum number of version changes while the response is selected.
    private static let maximumChanges = 2

    private let request: PlayRequest
    private let opener: any ReaderOpener
    private let isAdmitted: Bool
    private let writer: ResponseWriter
    private let recentHeaders: RecentPlayHeaders
    private let pieces: PieceBuffers
    private let pool: NIOThreadPool
    private var opening: Task<Void, Never>?
    private var didOpen: ((Result<any ByteReader, CacheError>) -> Void)?
    private var pump: ResponsePump?
    private var isCancelled = false
    /// The head of the version that is sent. All parts of the response are of this version.
    private var head: ResourceHead?
    private var acceptsRanges = true
    private var windowStart: Int64?
    private var gaps: [MovieGap] = []
    private var isPart = false
    private var multipart: MultipartByteRanges?
    private var part = 0
    private var currentRange: Range<Int64> = 0..<0
    private var changes = 0

    init(
        request: PlayRequest, opener: any ReaderOpener, isAdmitted: Bool, writer: ResponseWriter,
        recentHeaders: RecentPlayHeaders, pieces: PieceBuffers, pool: NIOThreadPool
    ) {
        self.request = request
        self.opener = opener
        self.isAdmitted = isAdmitted
        self.writer = writer
        self.recentHeaders = recentHeaders
        self.pieces = pieces
        self.pool = pool
    }

    func start() {
        let first = request.firstRange
        open(first) { self.firstOpened($0, range: first) }
    }

    func writabilityChanged() { pump?.pump() }

    func cancel() {
        isCancelled = true
        opening?.cancel()
        opening = nil
        didOpen = nil
        pump?.cancel()
        pump = nil
    }

    // MARK: - Opening

    private func open(_ range: RequestedRange, then handle: @escaping (Result<any ByteReader, CacheError>) -> Void) {
        do {
            if let reader = try opener.readerIfOpen(range) { return handle(.success(reader)) }
        } catch {
            return handle(.failure(CacheError.wrap(error, as: .storage, "the resource can't be opened")))
        }
        didOpen = handle
        let loop = writer.eventLoop
        let bound = NIOLoopBound(self, eventLoop: loop)
        opening = Task { [opener] in
            let result: Result<any ByteReader, CacheError>
            do {
                result = .success(try await opener.reader(range))
            } catch {
                result = .failure(CacheError.wrap(error, as: .storage, "the resource can't be opened"))
            }
            loop.execute { bound.value.opened(result) }
        }
    }

    private func opened(_ result: Result<any ByteReader, CacheError>) {
        opening = nil
        guard !isCancelled, let handle = didOpen else {
            if case .success(let reader) = result { reader.cancel() }
            return
        }
        didOpen = nil
        handle(result)
    }

    private func firstOpened(_ result: Result<any ByteReader, CacheError>, range: RequestedRange) {
        switch result {
        case .success(let reader): select(with: reader, openedFor: range)
        case .failure(let error) where error.code == .rangeNotSatisfiable:
            // Another part or a condition may still lead to another status, which requires the head.
            guard !request.isSettledByFirstRange, range != .all else { return refuse(error) }
            open(.all) { self.firstOpened($0, range: .all) }
        case .failure(let error): refuse(error)
        }
    }

    // MARK: - Selecting

    private func select(with reader: any ByteReader, openedFor range: RequestedRange) {
        let head = reader.head
        self.head = head
        acceptsRanges = reader.acceptsRanges
        windowStart = reader.windowStart
        gaps = reader.gaps
        // A browser would run a document as a page, and players never request documents.
        if recentHeaders.isDocument(head.contentType) {
            reader.cancel()
            return refuse(CacheError(document: opener.name, type: head.contentType))
        }
        switch request.preconditions.evaluate(head) {
        case .proceed: break
        case .notModified: return respondWithoutBody(.notModified, reader)
        case .failed: return respondWithoutBody(.preconditionFailed, reader)
        }
        if request.isHead { return respondWithoutBody(.ok, reader) }
        guard acceptsRanges else { return send(reader) }
        switch request.plan(for: head) {
        case .whole:
            if range == .all || reader.range == 0..<(head.length ?? .max) { return send(reader) }
            reopen(.all, insteadOf: reader)
        case .part(let part):
            isPart = true
            if reader.range == part { return send(reader) }
            reopen(.from(part.lowerBound, to: part.upperBound), insteadOf: reader)
        case .parts(let ranges):
            multipart = MultipartByteRanges(
                ranges: ranges, length: head.length ?? 0, contentType: SentMediaType(head.contentType).text)
            if reader.range == ranges[0] { return send(reader) }
            reopen(.from(ranges[0].lowerBound, to: ranges[0].upperBound), insteadOf: reader)
        case .unsatisfiable:
            reader.cancel()
            refuse(
                CacheError(
                    .rangeNotSatisfiable,
                    "the range is outside the resource, which has \(head.length ?? 0) bytes",
                    completeLength: head.length))
        }
    }

    private func reopen(_ range: RequestedRange, insteadOf reader: any ByteReader) {
        open(range) { result in
            // Cancelled after the new reader is opened, since both may share a fill.
            defer { reader.cancel() }
            switch result {
            case .success(let reader):
                // The selection is valid only for the version it was made for.
                if let head = self.head, reader.head.joins(head) { return self.send(reader) }
                self.repeatSelection(with: reader, openedFor: range)
            case .failure(let error): self.refuse(error)
            }
        }
    }

    private func repeatSelection(with reader: any ByteReader, openedFor range: RequestedRange) {
        changes += 1
        guard changes <= Self.maximumChanges else {
            reader.cancel()
            return refuse(
                CacheError(.representationChanged, "the resource changes with every request; it can't be read in parts")
            )
        }
        isPart = false
        multipart = nil
        select(with: reader, openedFor: range)
    }

    private func send(_ reader: any ByteReader) {
        if writer.hasSentHead, let head, !reader.head.joins(head) {
            reader.cancel()
            return refuse(CacheError(.representationChanged, "the resource changed between two parts of the response"))
        }
        head = reader.head
        let pump = ResponsePump(reader: reader, writer: writer, pieces: pieces, pool: pool, delegate: self)
        self.pump = pump
        currentRange = reader.range
        pump.start()
    }

    // MARK: - Writing

    func pumpWillWrite() {
        guard let head else { return }
        if let multipart {
            if part == 0 {
                let fields = headers(for: head, multipart: multipart.headerValue)
                writer.writeHead(.partialContent, fields, contentLength: multipart.contentLength)
            }
            writer.writeBody(ByteBuffer(string: multipart.opening(of: part)))
            return
        }
        var fields = headers(for: head)
        let isKnown = currentRange.upperBound != .max
        if isPart, let length = head.length,
            let value = ContentRange(range: currentRange, completeLength: length).fieldValue
        {
            fields.add(name: "Content-Range", value: value)
        }
        let length = isKnown ? currentRange.upperBound - currentRange.lowerBound : nil
        writer.writeHead(isPart ? .partialContent : .ok, fields, contentLength: length)
    }

    private func headers(for head: ResourceHead, multipart: String? = nil) -> HTTPHeaders {
        var fields =
            if let multipart {
                PlayHeaders.make(
                    for: head, multipart: multipart, acceptsRanges: acceptsRanges, isAdmitted: isAdmitted, now: Date())
            } else {
                recentHeaders.headers(for: head, acceptsRanges: acceptsRanges, isAdmitted: isAdmitted, now: Date())
            }
        PlayHeaders.addGaps(gaps, to: &fields)
        if let windowStart { PlayHeaders.addWindowStart(windowStart, to: &fields) }
        return fields
    }

    func pumpDidEnd() {
        pump = nil
        guard let multipart else { return writer.finish() }
        part += 1
        guard part < multipart.ranges.count else {
            writer.writeBody(ByteBuffer(string: multipart.closing))
            return writer.finish()
        }
        writer.flush()
        let next = multipart.ranges[part]
        open(.from(next.lowerBound, to: next.upperBound)) { result in
            switch result {
            case .success(let reader): self.send(reader)
            case .failure(let error): self.refuse(error)
            }
        }
    }

    func pumpDidFail(_ error: CacheError) {
        pump = nil
        refuse(error)
    }

    private func respondWithoutBody(_ status: HTTPResponseStatus, _ reader: any ByteReader) {
        let head = reader.head
        reader.cancel()
        writer.writeHead(status, headers(for: head), contentLength: status == .ok ? head.length : 0)
        writer.finish()
    }

    /// Responds with an error, or closes the connection if the response has begun.
    private func refuse(_ error: CacheError) {
        guard !isCancelled else { return }
        guard !writer.hasSentHead else { return writer.abort() }
        writer.writeError(ErrorResponse(error, isForPlayer: true), isAdmitted: isAdmitted)
    }
}
