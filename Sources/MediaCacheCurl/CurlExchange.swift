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

/// One request and its response, shared by the thread of a ``CurlLoop`` and the task that reads.
///
/// The loop stops receiving when half of the maximum buffer size waits for the reader, and continues when less than a
/// quarter is left.
final class CurlExchange: ReadableExchange, @unchecked Sendable {
    typealias ResponseState = ExchangeState<CurlBuffer, ContinuousClock.Instant>

    /// The addresses of a name, in the order in which they are tried.
    struct Addresses {
        var host: String
        var port: Int
        var addresses: [String]
    }

    private struct State {
        var response = ResponseState(pauseSize: CurlOptions.pieceSize(transfers: 1) / 2)
        /// The loop that runs the transfer; nil before its start and after its end.
        var loop: CurlLoop?
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
    /// The time at which the connection was ready to send the request or, after that, at which the origin last accepted
    /// content.
    private var sent: ContinuousClock.Instant?
    /// The number of content bytes sent at the time of ``sent``.
    private var contentSent: Int64 = 0
    /// The number of content bytes that libcurl has read.
    private var contentRead: Int64 = 0
    /// The error for which a callback ended the transfer. It takes precedence over libcurl's error.
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
                // Cancellation may precede the start.
                let isWaiting = state.withLock { state in
                    guard state.response.waitForHead(continuation) else { return false }
                    state.loop = loop
                    return true
                }
                guard isWaiting else { return continuation.resume(throwing: cancelled) }
                loop.add(self)
            }
        } onCancel: {
            cancel()
        }
    }

    private var cancelled: CacheError { CacheError(.cancelled, "the request to \(url.authority) was cancelled") }

    // MARK: - Reading

    var executor: (any TaskExecutor)? { state.withLock { $0.loop } }

    func read(_ continuation: ResponseState.BodyContinuation) {
        let (delivery, loop) = state.withLock { state in
            let delivery = state.response.read(continuation, at: .now)
            return (delivery, delivery.reception == .continued ? state.loop : nil)
        }
        delivery.resume()
        loop?.resume(self)
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
        let (ending, loop) = state.withLock { state in
            defer { state.loop = nil }
            return (state.response.end(error, droppingBuffers: droppingBuffers), state.loop)
        }
        ending.resume()
        return loop
    }

    var isOver: Bool { state.withLock { $0.response.isOver } }

    // MARK: - On the loop's thread

    /// Prepares a transfer for the request, with buffers of at most `pieceSize` bytes.
    func prepare(_ handle: CurlHandle, pieceSize: Int) {
        self.pieceSize = pieceSize
        state.withLock { $0.response.pauseSize = pieceSize / 2 }
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
            // libcurl would add the field for long content.
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
        if options.rule.permits(connected: address, scope: request.scope) { return true }
        refusal = CurlErrorMapper.forbidden(url)
        return false
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
        }
        return true
    }

    /// Stores bytes of the body. Returns their number, or a code that pauses or ends the transfer.
    private func store(_ bytes: UnsafeRawBufferPointer) -> Int {
        // Usually, the loop has paused the transfer before the limit, because libcurl would copy the bytes that aren't
        // stored.
        let storing = state.withLock { state in
            state.response.store(bytes.count, below: 2 * pieceSize) { buffers in
                var rest = bytes
                while !rest.isEmpty {
                    if buffers.last?.isFull ?? true {
                        buffers.append(CurlBuffer(capacity: pieceSize, pageOffset: pageOffset))
                    }
                    let count = buffers[buffers.count - 1].append(rest)
                    rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                    pageOffset = (pageOffset + count) % CurlBuffer.pageSize
                }
            }
        }
        switch storing {
        case .stored:
            touch()
            return bytes.count
        // libcurl passes the same bytes again when the transfer continues.
        case .full: return Int(CURL_WRITEFUNC_PAUSE)
        case .ended: return 0
        }
    }

    private func touch() {
        guard !isTouched else { return }
        isTouched = true
        state.withLock { $0.loop }?.touched(self)
    }

    /// Passes the head and the next buffer to the tasks that wait for them. Returns whether the loop should stop or
    /// continue receiving; nil for no change.
    func deliver() -> ReceptionChange? {
        isTouched = false
        let (continuation, delivery) = state.withLock { state in
            (head.isComplete ? state.response.beginBody() : nil, state.response.deliver())
        }
        continuation?.resume(
            returning: OriginResponse(
                status: head.status, headerFields: head.fields, peer: peer, body: ExchangeBody(self)))
        delivery.resume()
        return delivery.reception
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
        let waitBegan = state.withLock { $0.response.waitBegan }
        // libcurl limits the time to connect, but not the time that a request waits for a connection.
        if sent == nil, now - began > limits.connect + limits.firstByte {
            return CacheError(
                .timedOut, "\(url.authority) can't be contacted: all connections to it are in use; try again later")
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
