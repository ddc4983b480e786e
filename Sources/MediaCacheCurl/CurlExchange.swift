import CMediaCacheCurl
import HTTPTypes
import MediaCache
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// One request and its response, between the thread of a ``CurlLoop`` and the task that reads.
///
/// The loop stops receiving when half of the maximum buffer size waits for the reader, and continues when less than a
/// quarter is left.
final class CurlExchange: ReadableExchange, @unchecked Sendable {
    typealias HeadContinuation = CheckedContinuation<OriginResponse, any Error>
    typealias BodyContinuation = CheckedContinuation<(any OriginBuffer)?, any Error>

    /// The addresses of a name, in the order in which they are tried.
    struct Addresses {
        var host: String
        var port: Int
        var addresses: [String]
    }

    /// The result of storing received bytes.
    enum Storing {
        case stored
        /// The reader is behind. libcurl passes the same bytes again when the transfer continues.
        case full
        case ended
    }

    /// A change of whether the loop receives.
    enum Reception {
        case paused
        case continued
    }

    private enum Phase {
        case waitingForHead
        case body
        /// The response has ended or failed. Buffers may still wait for the reader.
        case ended((any Error)?)
    }

    private struct State {
        var phase = Phase.waitingForHead
        var loop: CurlLoop?
        var head: HeadContinuation?
        /// A received head that hasn't been delivered to the task yet.
        var response: (status: Int, fields: HTTPFields)?
        var reader: BodyContinuation?
        /// The time at which the reader began to wait.
        var waitBegan: ContinuousClock.Instant?
        /// Full buffers, then the one being filled.
        var buffers: [CurlBuffer] = []
        var bufferedBytes = 0
        /// Whether the loop has stopped receiving.
        var isPaused = false
        /// The number of waiting bytes below which the loop continues to receive.
        var resumesBelow = 0
    }

    let url: ResourceURL
    let limits: TransferLimits
    private let request: OriginRequest
    private let options: CurlOptions
    private let addresses: Addresses?
    private let state = Mutex(State())

    // `@unchecked Sendable`: the following properties are used by the loop's thread alone.

    /// The response head that is being received.
    private var head = CurlHead()
    /// The offset of the next byte from a page boundary of the resource, if the response has the requested range.
    private var pageOffset: Int
    private var peer = AddressKind.unknown
    /// The time at which the transfer was added to the loop.
    private var began = ContinuousClock.now
    /// The time at which the head of the request was sent or, after that, at which the origin last accepted content.
    private var sent: ContinuousClock.Instant?
    /// The number of content bytes sent at the time of ``sent``.
    private var contentSent: Int64 = 0
    /// The number of content bytes that libcurl has read.
    private var contentRead: Int64 = 0
    /// The reason for not continuing the transfer, which takes precedence over libcurl's error.
    private var refusal: CacheError?
    /// Whether the loop has a head or bytes to deliver after its turn.
    var isTouched = false
    /// The maximum number of bytes of a buffer.
    private var pieceSize = CurlOptions.pieceSize(transfers: 1)

    init(_ request: OriginRequest, options: CurlOptions, addresses: Addresses?) {
        self.request = request
        self.options = options
        self.addresses = addresses
        url = request.url
        limits = request.limits
        pageOffset = Int((Self.firstPosition(request.headerFields[.range]) ?? 0) % Int64(CurlBuffer.pageSize))
    }

    /// Returns the first position of a `Range` field; nil without one.
    private static func firstPosition(_ range: String?) -> Int64? {
        range.flatMap { Int64($0.drop { $0 != "=" }.dropFirst().prefix { $0.isNumber }) }
    }

    /// Starts the request on a loop and waits for the response's head.
    func run(on loop: CurlLoop) async throws -> OriginResponse {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let error = state.withLock { state -> (any Error)? in
                    // Cancellation may precede the start.
                    if case .ended(let error) = state.phase { return error ?? cancelled }
                    state.head = continuation
                    state.loop = loop
                    return nil
                }
                if let error { return continuation.resume(throwing: error) }
                loop.add(self)
            }
        } onCancel: {
            cancel()
        }
    }

    private var cancelled: CacheError { CacheError(.cancelled, "the request to \(url.authority) was cancelled") }

    // MARK: - Reading

    var executor: (any TaskExecutor)? { state.withLock { $0.loop } }

    func read(_ continuation: BodyContinuation) {
        enum Outcome {
            case deliver(CurlBuffer, resuming: CurlLoop?)
            case end((any Error)?)
            case wait
        }
        let outcome = state.withLock { state -> Outcome in
            if let (buffer, loop) = take(&state) { return .deliver(buffer, resuming: loop) }
            if case .ended(let error) = state.phase { return .end(error) }
            state.reader = continuation
            state.waitBegan = .now
            return .wait
        }
        switch outcome {
        case .deliver(let buffer, let loop):
            continuation.resume(returning: buffer)
            loop?.resume(self)
        case .end(let error?): continuation.resume(throwing: error)
        case .end(nil): continuation.resume(returning: nil)
        case .wait: break
        }
    }

    /// Takes the first buffer, and the loop that should receive again. Returns nil if there is no buffer.
    private func take(_ state: inout State) -> (CurlBuffer, resuming: CurlLoop?)? {
        guard !state.buffers.isEmpty else { return nil }
        let buffer = state.buffers.removeFirst()
        state.bufferedBytes -= buffer.count
        guard state.isPaused, state.bufferedBytes < state.resumesBelow else { return (buffer, nil) }
        state.isPaused = false
        return (buffer, state.loop)
    }

    /// Ends the exchange with `cancelled`. Bytes that haven't been read are lost.
    func cancel() {
        end(cancelled, droppingBuffers: true)?.remove(self)
    }

    /// Ends the exchange. Its reader receives the buffered bytes before the error, unless they are dropped.
    ///
    /// - Returns: The loop, if the exchange was running.
    @discardableResult
    func end(_ error: (any Error)?, droppingBuffers: Bool = false) -> CurlLoop? {
        typealias Ending = (head: HeadContinuation?, reader: BodyContinuation?, loop: CurlLoop?, dropped: [CurlBuffer])
        // The dropped buffers are released after the lock, because that takes another one and may unmap memory.
        let (head, reader, loop, _) = state.withLock { state -> Ending in
            var dropped: [CurlBuffer] = []
            if droppingBuffers {
                // The end of the dropped bytes must not look like the end of the body.
                if case .ended = state.phase, !state.buffers.isEmpty { state.phase = .ended(error) }
                swap(&dropped, &state.buffers)
                state.bufferedBytes = 0
            }
            if case .ended = state.phase { return (nil, nil, nil, dropped) }
            state.phase = .ended(error)
            defer {
                state.head = nil
                state.reader = nil
                state.waitBegan = nil
                state.loop = nil
            }
            return (state.head, state.reader, state.loop, dropped)
        }
        head?.resume(throwing: error ?? cancelled)
        if let error { reader?.resume(throwing: error) } else { reader?.resume(returning: nil) }
        return loop
    }

    var isOver: Bool {
        state.withLock { state in
            if case .ended = state.phase { true } else { false }
        }
    }

    // MARK: - Receiving, on the loop's thread

    /// Prepares a transfer for the request, with buffers of at most `pieceSize` bytes.
    func prepare(_ handle: CurlHandle, pieceSize: Int) {
        self.pieceSize = pieceSize
        state.withLock { $0.resumesBelow = pieceSize / 4 }
        options.apply(to: handle)
        handle.set(CURLOPT_BUFFERSIZE, min(pieceSize, CurlOptions.maximumReceiveSize))
        handle.set(CURLOPT_URL, "\(url.scheme)://\(url.authority)/")
        let isForwarded = options.isForwarded(url)
        handle.set(CURLOPT_REQUEST_TARGET, isForwarded ? "\(url.scheme)://\(url.authority)\(url.target)" : url.target)
        handle.set(CURLOPT_CONNECTTIMEOUT_MS, max(1, Int(min(limits.connect, .seconds(86_400)) / .milliseconds(1))))
        began = .now
        if let addresses {
            let list = addresses.addresses.map { $0.contains(":") ? "[\($0)]" : $0 }.joined(separator: ",")
            handle.set(CURLOPT_RESOLVE, ["+\(addresses.host):\(addresses.port):\(list)"])
        }
        var lines = ["Host: \(url.authority)"]
        switch (request.method, request.content) {
        case (.get, nil): break
        case (.delete, nil), (.options, nil): handle.set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
        case (_, let content):
            prepare(handle, sending: content)
            // libcurl would add the field to long content.
            if request.headerFields[.expect] == nil { lines.append("Expect:") }
        }
        // libcurl sends a request again if a reused connection ends without a response. The origin may have carried out
        // the first one, so a method that isn't idempotent (RFC 9110 §9.2.2) needs a new connection.
        if ![.get, .put, .delete, .options].contains(request.method) { handle.set(CURLOPT_FRESH_CONNECT, 1) }
        if request.headerFields[.accept] == nil { lines.append("Accept:") }
        for field in request.headerFields {
            lines.append(field.value.isEmpty ? "\(field.name.rawName);" : "\(field.name.rawName): \(field.value)")
        }
        if let credentials = url.credentials, request.headerFields[.authorization] == nil {
            lines.append("Authorization: \(credentials.authorization)")
        }
        handle.set(CURLOPT_HTTPHEADER, lines)
        let context = Unmanaged.passUnretained(self).toOpaque()
        handle.set(CURLOPT_PRIVATE, context)
        handle.set(CURLOPT_WRITEDATA, context)
        handle.set(CURLOPT_HEADERDATA, context)
        handle.set(CURLOPT_OPENSOCKETDATA, context)
        handle.set(CURLOPT_PREREQDATA, context)
        mc_curl_set_data_callback(handle.pointer, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            let exchange = CurlExchange.of(context)
            return exchange.store(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
        mc_curl_set_data_callback(handle.pointer, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            let exchange = CurlExchange.of(context)
            return exchange.receiveHead(UnsafeRawBufferPointer(start: bytes, count: size * count)) ? size * count : 0
        }
        mc_curl_set_open_socket(handle.pointer) { context, _, address in
            guard let address, CurlExchange.of(context).permits(address) else { return CURL_SOCKET_BAD }
            return mc_curl_open_socket(address)
        }
        mc_curl_set_before_request(handle.pointer) { context, address, _, _, _ in
            CurlExchange.of(context).requestWillBeSent(to: address.map { String(cString: $0) })
                ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
        }
    }

    /// Prepares a transfer to send content, which libcurl reads on the loop's thread.
    private func prepare(_ handle: CurlHandle, sending content: RequestContent?) {
        let length = content?.length ?? 0
        handle.set(CURLOPT_UPLOAD, 1)
        handle.set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
        mc_curl_set_size(handle.pointer, CURLOPT_INFILESIZE_LARGE, curl_off_t(length))
        if length > 64 << 10 { handle.set(CURLOPT_UPLOAD_BUFFERSIZE, CurlOptions.maximumSendSize) }
        let context = Unmanaged.passUnretained(self).toOpaque()
        handle.set(CURLOPT_READDATA, context)
        handle.set(CURLOPT_SEEKDATA, context)
        mc_curl_set_data_callback(handle.pointer, CURLOPT_READFUNCTION) { bytes, size, count, context in
            CurlExchange.of(context).readContent(UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
        }
        mc_curl_set_seek(handle.pointer) { context, offset, origin in
            guard origin == SEEK_SET else { return Int32(CURL_SEEKFUNC_FAIL) }
            CurlExchange.of(context).contentRead = Int64(offset)
            return Int32(CURL_SEEKFUNC_OK)
        }
    }

    /// Copies the next bytes of the content. Returns their number, or a code that ends the transfer.
    private func readContent(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        do {
            let count = try request.content?.read(into: buffer, at: contentRead) ?? 0
            contentRead += Int64(count)
            return count
        } catch {
            refusal = error
            return Int(CURL_READFUNC_ABORT)
        }
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> CurlExchange {
        // Set by `prepare`, and retained by the loop during the transfer.
        Unmanaged<CurlExchange>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
    }

    /// Returns whether an address may be connected to.
    private func permits(_ address: UnsafePointer<curl_sockaddr>) -> Bool {
        // The proxy's address isn't the target's.
        guard options.proxy == nil else { return true }
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = Int(mc_curl_address_bytes(address, &bytes))
        return check(count > 0 ? IPAddress(bytes: Array(bytes[..<count])) : nil)
    }

    /// Checks the address of a new or reused connection, before a byte of the request is sent.
    private func requestWillBeSent(to address: String?) -> Bool {
        if sent != nil { request.willRepeat?() }
        // libcurl doesn't rewind content that it has read but not sent.
        (sent, contentSent, contentRead) = (.now, 0, 0)
        guard options.proxy == nil else { return true }
        let address = address.flatMap { IPAddress($0) }
        peer = address?.kind ?? .unknown
        return check(address)
    }

    private func check(_ address: IPAddress?) -> Bool {
        do {
            try options.rule.check(connected: address, scope: request.scope)
            return true
        } catch {
            refusal = CurlErrorMapper.forbidden(url)
            return false
        }
    }

    /// Receives a line of the head, or of the trailer section, which is ignored. Returns whether to continue.
    private func receiveHead(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard !head.isComplete else { return true }
        do {
            try head.receive(bytes, from: url.authority)
        } catch {
            refusal = error
            return false
        }
        if head.isComplete {
            if head.status == 407, options.isForwarded(url) {
                refusal = CurlErrorMapper.missingProxyCredentials
                return false
            }
            touch()
            state.withLock { $0.response = (head.status, head.fields) }
        }
        return true
    }

    /// Stores bytes of the body. Returns their number, or a code that pauses or ends the transfer.
    private func store(_ bytes: UnsafeRawBufferPointer) -> Int {
        let storing = state.withLock { state -> Storing in
            if case .ended = state.phase { return .ended }
            // Usually, the loop has paused the transfer before, because libcurl would copy the bytes that aren't
            // stored.
            guard state.bufferedBytes < 2 * pieceSize else {
                state.isPaused = true
                return .full
            }
            var rest = bytes
            while !rest.isEmpty {
                if state.buffers.last?.isFull ?? true {
                    state.buffers.append(CurlBuffer(capacity: pieceSize, pageOffset: pageOffset))
                }
                let count = state.buffers[state.buffers.count - 1].append(rest)
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                pageOffset = (pageOffset + count) % CurlBuffer.pageSize
            }
            state.bufferedBytes += bytes.count
            return .stored
        }
        switch storing {
        case .stored:
            touch()
            return bytes.count
        case .full: return Int(CURL_WRITEFUNC_PAUSE)
        case .ended: return 0
        }
    }

    private func touch() {
        guard !isTouched else { return }
        isTouched = true
        state.withLock { $0.loop }?.touched(self)
    }

    /// Gives the task the head and the bytes received in the loop's turn. Returns whether the loop should stop or
    /// continue to receive; nil for no change.
    func deliver() -> Reception? {
        isTouched = false
        let (head, response, reader, buffer, reception) = state.withLock { state in
            var head: HeadContinuation?
            let response = state.response
            if response != nil, case .waitingForHead = state.phase {
                state.phase = .body
                head = state.head
                state.head = nil
                state.response = nil
            }
            var reception: Reception?
            var delivered: (BodyContinuation, CurlBuffer)?
            if let reader = state.reader, let (buffer, loop) = take(&state) {
                state.reader = nil
                state.waitBegan = nil
                delivered = (reader, buffer)
                if loop != nil { reception = .continued }
            }
            if state.bufferedBytes >= pieceSize / 2, !state.isPaused {
                state.isPaused = true
                reception = .paused
            }
            return (head, response, delivered?.0, delivered?.1, reception)
        }
        if let head, let response {
            head.resume(
                returning: OriginResponse(
                    status: response.status, headerFields: response.fields, peer: peer, body: ExchangeBody(self)))
        }
        reader?.resume(returning: buffer)
        return reception
    }

    /// Ends the exchange with libcurl's result.
    func finish(_ code: CURLcode, _ handle: CurlHandle) {
        let failure =
            code == CURLE_OK && head.isComplete
            ? nil
            : CurlErrorMapper.cacheError(
                code, handle, url: url, hadHead: head.isComplete, wasSent: sent != nil, limits: limits,
                proxy: options.proxy)
        end(refusal ?? failure)
    }

    /// Returns the error of an exceeded time limit; nil if there is none.
    func expired(at now: ContinuousClock.Instant, _ handle: CurlHandle) -> CacheError? {
        let waitBegan = state.withLock { $0.waitBegan }
        // libcurl limits the time to connect, but not the time that a request waits for a connection.
        if sent == nil, now - began > limits.connect + limits.firstByte {
            return CacheError(
                .timedOut, "\(url.authority) can't be requested: all connections to it are in use; try again later")
        }
        if !head.isComplete, isSendingContent(at: now, handle) {
            guard let sent, now - sent > limits.stall else { return nil }
            return CacheError(
                .timedOut,
                "\(url.authority) stalled: it accepted no byte of the request's content for \(limits.stall); check the "
                    + "network, or raise the limit")
        }
        if !head.isComplete, let sent, now - sent > limits.firstByte {
            return CacheError(
                .timedOut,
                "\(url.authority) sent no response within \(limits.firstByte); check the address and the network, "
                    + "or raise the limit")
        }
        if let waitBegan, now - waitBegan > limits.stall {
            return CacheError(
                .timedOut, "\(url.authority) stalled: no byte for \(limits.stall) during the response body")
        }
        return nil
    }

    /// Returns whether content is left to send. Updates the time of the last progress.
    private func isSendingContent(at now: ContinuousClock.Instant, _ handle: CurlHandle) -> Bool {
        guard sent != nil, let length = request.content?.length, contentSent < length else { return false }
        let count = Int64(mc_curl_get_size(handle.pointer, CURLINFO_SIZE_UPLOAD_T))
        if count != contentSent { (sent, contentSent) = (now, count) }
        return contentSent < length
    }
}
