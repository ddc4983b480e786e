import CMediaCacheCurl
import Foundation
import MediaCache
import Synchronization

/// A thread that runs transfers and owns their connections.
final class CurlLoop: @unchecked Sendable {
    private enum Command {
        case add(CurlExchange)
        case resume(CurlExchange)
        case remove(CurlExchange)
    }

    private struct Inbox {
        var commands: [Command] = []
        var hasThread = false
        var isStopping = false
        var isOver = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private struct Transfer {
        let exchange: CurlExchange
        let handle: CurlHandle
    }

    /// The maximum number of handles that wait for another transfer.
    private static let maximumSpare = 16
    /// The maximum number of unused connections.
    private static let maximumIdleConnections = 64
    /// The interval at which time limits of an idle loop are checked.
    private static let longestPoll = Duration.seconds(60)
    /// The longest interval at which time limits of running transfers are checked.
    private static let longestCheck = Duration.seconds(1)

    private let inbox = Mutex(Inbox())
    private let multi: UnsafeMutableRawPointer

    // `@unchecked Sendable`: the following properties are used by the loop's thread alone.
    private var transfers: [UnsafeMutableRawPointer: Transfer] = [:]
    private var handles: [ObjectIdentifier: CurlHandle] = [:]
    private var spare: [CurlHandle] = []
    private var deliverable: [CurlExchange] = []
    private var checkInterval = CurlLoop.longestCheck
    private var nextCheck = ContinuousClock.now

    init(connectionsPerHost: Int) {
        guard CurlLibrary.isReady, let multi = curl_multi_init() else { fatalError("libcurl has no memory") }
        self.multi = multi
        mc_curl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, connectionsPerHost)
        mc_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, Self.maximumIdleConnections)
    }

    deinit { curl_multi_cleanup(multi) }

    // MARK: - From any thread

    /// Starts an exchange.
    func add(_ exchange: CurlExchange) {
        guard !send(.add(exchange)) else { return }
        exchange.end(
            CacheError(.closed, "\(exchange.url.authority) can't be requested: the origin client was shut down"))
    }

    /// Receives again for an exchange whose reader is no longer behind.
    func resume(_ exchange: CurlExchange) { send(.resume(exchange)) }

    /// Closes the connection of an exchange that has ended.
    func remove(_ exchange: CurlExchange) { send(.remove(exchange)) }

    @discardableResult
    private func send(_ command: Command) -> Bool {
        let (isAccepted, startsThread) = inbox.withLock { inbox in
            guard !inbox.isStopping else { return (false, false) }
            let isFirst = inbox.commands.isEmpty
            inbox.commands.append(command)
            if inbox.hasThread {
                if isFirst { curl_multi_wakeup(multi) }
                return (true, false)
            }
            inbox.hasThread = true
            return (true, true)
        }
        if startsThread { start() }
        return isAccepted
    }

    private func start() {
        let thread = Thread { self.run() }
        thread.name = "mediacache-curl"
        thread.start()
    }

    /// Ends all exchanges with `cancelled`, and refuses others.
    func stop() {
        inbox.withLock { inbox in
            guard !inbox.isStopping else { return }
            inbox.isStopping = true
            if inbox.hasThread { curl_multi_wakeup(multi) } else { inbox.isOver = true }
        }
    }

    /// Stops, and waits until all connections are closed.
    func stopped() async {
        stop()
        await withCheckedContinuation { continuation in
            let isOver = inbox.withLock { inbox in
                if !inbox.isOver { inbox.waiters.append(continuation) }
                return inbox.isOver
            }
            if isOver { continuation.resume() }
        }
    }

    // MARK: - On the loop's thread

    /// Notes an exchange with something to deliver after the turn.
    func touched(_ exchange: CurlExchange) { deliverable.append(exchange) }

    private func run() {
        while true {
            let (commands, isStopping) = inbox.withLock { inbox in
                defer { inbox.commands = [] }
                return (inbox.commands, inbox.isStopping)
            }
            for command in commands { carryOut(command) }
            if isStopping { break }
            var running: Int32 = 0
            curl_multi_perform(multi, &running)
            deliver()
            finishTransfers()
            checkLimits()
            let limit = transfers.isEmpty ? Self.longestPoll : max(.milliseconds(1), nextCheck - .now)
            curl_multi_poll(multi, nil, 0, Int32(limit / .milliseconds(1)), nil)
        }
        for transfer in transfers.values {
            transfer.exchange.end(
                CacheError(.cancelled, "the request to \(transfer.exchange.url.authority) was cancelled"),
                droppingBuffers: true)
            curl_multi_remove_handle(multi, transfer.handle.pointer)
        }
        transfers = [:]
        handles = [:]
        spare = []
        let waiters = inbox.withLock { inbox in
            inbox.isOver = true
            defer { inbox.waiters = [] }
            return inbox.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    private func carryOut(_ command: Command) {
        switch command {
        case .add(let exchange): begin(exchange)
        case .resume(let exchange): receiveAgain(exchange)
        case .remove(let exchange):
            if let handle = handles[ObjectIdentifier(exchange)] { release(handle) }
        }
    }

    private func begin(_ exchange: CurlExchange) {
        guard !exchange.isOver else { return }
        guard let handle = spare.popLast() ?? CurlHandle() else {
            exchange.end(CacheError(.unreachable, "\(exchange.url.authority) can't be requested: no memory"))
            return
        }
        exchange.prepare(handle)
        transfers[handle.pointer] = Transfer(exchange: exchange, handle: handle)
        handles[ObjectIdentifier(exchange)] = handle
        let interval = min(exchange.limits.firstByte, exchange.limits.stall) / 4
        checkInterval = max(.milliseconds(5), min(checkInterval, interval))
        nextCheck = min(nextCheck, .now + checkInterval)
        curl_multi_add_handle(multi, handle.pointer)
    }

    /// Continues a paused transfer. libcurl then offers the bytes that it holds.
    private func receiveAgain(_ exchange: CurlExchange) {
        if let handle = handles[ObjectIdentifier(exchange)] { curl_easy_pause(handle.pointer, CURLPAUSE_CONT) }
    }

    private func deliver() {
        while let exchange = deliverable.popLast() {
            if exchange.deliver() { receiveAgain(exchange) }
        }
    }

    private func finishTransfers() {
        var code = CURLE_OK
        while let pointer = mc_curl_next_finished(multi, &code) {
            guard let transfer = transfers[pointer] else { continue }
            transfer.exchange.finish(code, transfer.handle)
            release(transfer.handle)
        }
    }

    private func checkLimits() {
        let now = ContinuousClock.now
        guard now >= nextCheck else { return }
        if transfers.isEmpty { checkInterval = Self.longestCheck }
        nextCheck = now + checkInterval
        for transfer in transfers.values {
            guard let error = transfer.exchange.expired(at: now) else { continue }
            transfer.exchange.end(error)
            release(transfer.handle)
        }
    }

    /// Removes a transfer. Its connection is closed unless the response is complete.
    private func release(_ handle: CurlHandle) {
        guard let transfer = transfers.removeValue(forKey: handle.pointer) else { return }
        handles[ObjectIdentifier(transfer.exchange)] = nil
        curl_multi_remove_handle(multi, handle.pointer)
        guard spare.count < Self.maximumSpare else { return }
        handle.reset()
        spare.append(handle)
    }
}
