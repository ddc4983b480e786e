import CMediaCacheCurl
import Foundation
import MediaCache
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A thread that runs transfers and owns their connections. Tasks with this executor run on the same thread.
final class CurlLoop: TaskExecutor, @unchecked Sendable {
    private enum Command {
        case add(CurlExchange)
        case resume(CurlExchange)
        case remove(CurlExchange)
    }

    private struct Inbox {
        var commands: [Command] = []
        /// The jobs of tasks with this executor.
        var jobs: [UnownedJob] = []
        /// Whether the thread will look for commands and jobs before it waits.
        var isAwake = true
        var hasThread = false
        var isStopping = false
        var isOver = false
        var waiters: [CheckedContinuation<Void, Never>] = []

        var hasWork: Bool { isStopping || !commands.isEmpty || !jobs.isEmpty }
    }

    private struct Transfer {
        let exchange: CurlExchange
        let handle: CurlHandle
    }

    /// The maximum number of unused handles.
    private static let maximumSpare = 16
    /// The maximum number of unused connections.
    private static let maximumIdleConnections = 64
    /// The longest wait of a loop without transfers.
    private static let longestPoll = Duration.seconds(60)
    /// The longest interval at which time limits of running transfers are checked.
    private static let longestCheck = Duration.seconds(1)

    private let inbox = Mutex(Inbox())
    private let multi: UnsafeMutableRawPointer
    /// A pipe that wakes the thread.
    private let wakeReader: Int32
    private let wakeWriter: Int32

    // `@unchecked Sendable`: the following properties are used by the loop's thread alone.
    private var transfers: [UnsafeMutableRawPointer: Transfer] = [:]
    private var handles: [ObjectIdentifier: CurlHandle] = [:]
    private var spare: [CurlHandle] = []
    private var deliverable: [CurlExchange] = []
    private var checkInterval = CurlLoop.longestCheck
    private var nextCheck = ContinuousClock.now
    /// The sockets that libcurl waits for, after the reading end of the pipe.
    private var sockets: [pollfd] = []
    /// The time at which libcurl wants to be called; nil for none.
    private var timer: ContinuousClock.Instant?

    init(connectionsPerHost: Int) {
        // As with a failed allocation in Swift, there is no recovery.
        guard CurlLibrary.isReady, let multi = curl_multi_init() else { fatalError("libcurl can't be initialized") }
        self.multi = multi
        var ends: [Int32] = [-1, -1]
        // A process that can't open a descriptor can't connect to an origin either.
        guard pipe(&ends) == 0 else { fatalError("no pipe can be created: error \(errno)") }
        (wakeReader, wakeWriter) = (ends[0], ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        sockets = [pollfd(fd: wakeReader, events: Int16(POLLIN), revents: 0)]
        mc_curl_multi_set_callbacks(
            multi,
            { _, socket, interest, loop, _ in
                CurlLoop.of(loop).setInterest(interest, in: socket)
                return 0
            },
            { _, milliseconds, loop in
                CurlLoop.of(loop).timer = milliseconds < 0 ? nil : .now + .milliseconds(milliseconds)
                return 0
            }, Unmanaged.passUnretained(self).toOpaque())
        mc_curl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, connectionsPerHost)
        mc_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, Self.maximumIdleConnections)
    }

    deinit {
        // If there was a thread, it has closed the connections.
        if !inbox.withLock({ $0.hasThread }) { curl_multi_cleanup(multi) }
        close(wakeReader)
        close(wakeWriter)
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> CurlLoop {
        // Set by `init`. libcurl calls back only while a method of the loop runs, or its `deinit`.
        Unmanaged<CurlLoop>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
    }

    // MARK: - From any thread

    func add(_ exchange: CurlExchange) {
        guard !send(.add(exchange)) else { return }
        exchange.end(
            CacheError(.closed, "\(exchange.url.authority) can't be contacted: the origin client was shut down"))
    }

    /// Continues to receive for an exchange whose reader is no longer behind.
    func resume(_ exchange: CurlExchange) { send(.resume(exchange)) }

    /// Removes the transfer of a cancelled exchange.
    func remove(_ exchange: CurlExchange) { send(.remove(exchange)) }

    @discardableResult
    private func send(_ command: Command) -> Bool {
        let (isAccepted, startsThread) = inbox.withLock { inbox in
            guard !inbox.isStopping else { return (false, false) }
            inbox.commands.append(command)
            if inbox.hasThread {
                wake(&inbox)
                return (true, false)
            }
            inbox.hasThread = true
            return (true, true)
        }
        if startsThread { start() }
        return isAccepted
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isAccepted = inbox.withLock { inbox in
            guard inbox.hasThread, !inbox.isOver else { return false }
            inbox.jobs.append(job)
            wake(&inbox)
            return true
        }
        // A task may outlive the thread.
        if !isAccepted {
            DispatchQueue.global().async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    private func wake(_ inbox: inout Inbox) {
        guard !inbox.isAwake else { return }
        inbox.isAwake = true
        var byte: UInt8 = 0
        // A full pipe wakes the thread, too.
        _ = write(wakeWriter, &byte, 1)
    }

    private func start() {
        let thread = Thread { self.run() }
        thread.name = "mediacache-curl"
        thread.start()
    }

    /// Ends all exchanges with `cancelled`, and refuses new ones.
    func stop() {
        inbox.withLock { inbox in
            guard !inbox.isStopping else { return }
            inbox.isStopping = true
            if inbox.hasThread { wake(&inbox) } else { inbox.isOver = true }
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

    /// Registers an exchange that has something to deliver after the turn.
    func touched(_ exchange: CurlExchange) { deliverable.append(exchange) }

    private func run() {
        nextCheck = .now + checkInterval
        while true {
            let (commands, isStopping) = inbox.withLock { inbox in
                defer { inbox.commands = [] }
                return (inbox.commands, inbox.isStopping)
            }
            for command in commands { carryOut(command) }
            if isStopping { break }
            runJobs()
            let mayWait = inbox.withLock { inbox in
                inbox.isAwake = inbox.hasWork
                return !inbox.isAwake
            }
            waitForSockets(mayWait)
            inbox.withLock { $0.isAwake = true }
            deliver()
            finishTransfers()
            checkLimits()
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
        // Closes the idle connections.
        curl_multi_cleanup(multi)
        let waiters = inbox.withLock { inbox in
            inbox.isOver = true
            defer { inbox.waiters = [] }
            return inbox.waiters
        }
        runJobs()
        for waiter in waiters { waiter.resume() }
    }

    /// Lets libcurl send and receive. If `mayWait`, first waits until a socket is ready or a time is due.
    private func waitForSockets(_ mayWait: Bool) {
        let now = ContinuousClock.now
        var limit = mayWait ? transfers.isEmpty ? Self.longestPoll : nextCheck - now : .zero
        if let timer { limit = min(limit, timer - now) }
        for index in sockets.indices { sockets[index].revents = 0 }
        // Rounded up, so that the thread doesn't spin before the time.
        let milliseconds = Int32(clamping: Int((max(.zero, limit) / .milliseconds(1)).rounded(.up)))
        let count = poll(&sockets, nfds_t(sockets.count), milliseconds)
        var running: Int32 = 0
        if count > 0 {
            if sockets[0].revents != 0 { drainPipe() }
            // Copied, because the calls change the list.
            for socket in sockets.dropFirst().filter({ $0.revents != 0 }) {
                var ready: Int32 = 0
                if socket.revents & Int16(POLLIN | POLLHUP) != 0 { ready |= CURL_CSELECT_IN }
                if socket.revents & Int16(POLLOUT) != 0 { ready |= CURL_CSELECT_OUT }
                if socket.revents & Int16(POLLERR | POLLNVAL) != 0 { ready |= CURL_CSELECT_ERR }
                curl_multi_socket_action(multi, socket.fd, ready, &running)
            }
        }
        if let timer, timer <= .now {
            self.timer = nil
            curl_multi_socket_action(multi, CURL_SOCKET_BAD, 0, &running)
        }
    }

    private func drainPipe() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(wakeReader, &bytes, bytes.count) == bytes.count {}
    }

    /// Sets whether libcurl waits to receive or send on a socket.
    private func setInterest(_ interest: Int32, in socket: curl_socket_t) {
        let index = sockets.firstIndex { $0.fd == socket }
        guard interest != CURL_POLL_REMOVE else {
            if let index { sockets.remove(at: index) }
            return
        }
        var events: Int16 = 0
        if interest & CURL_POLL_IN != 0 { events |= Int16(POLLIN) }
        if interest & CURL_POLL_OUT != 0 { events |= Int16(POLLOUT) }
        if let index {
            sockets[index].events = events
        } else {
            sockets.append(pollfd(fd: socket, events: events, revents: 0))
        }
    }

    /// Runs the jobs of tasks, which may add commands and jobs.
    private func runJobs() {
        let jobs = inbox.withLock { inbox in
            defer { inbox.jobs = [] }
            return inbox.jobs
        }
        guard !jobs.isEmpty else { return }
        FileThread.run { for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) } }
    }

    private func carryOut(_ command: Command) {
        switch command {
        case .add(let exchange): begin(exchange)
        case .resume(let exchange): set(.continued, of: exchange)
        case .remove(let exchange):
            if let handle = handles[ObjectIdentifier(exchange)] { release(handle) }
        }
    }

    private func begin(_ exchange: CurlExchange) {
        guard !exchange.isOver else { return }
        guard let handle = spare.popLast() ?? CurlHandle() else {
            exchange.end(CacheError(.unreachable, "\(exchange.url.authority) can't be contacted: no memory"))
            return
        }
        exchange.prepare(handle, pieceSize: CurlOptions.pieceSize(transfers: transfers.count + 1))
        transfers[handle.pointer] = Transfer(exchange: exchange, handle: handle)
        handles[ObjectIdentifier(exchange)] = handle
        let interval = min(exchange.limits.firstByte, exchange.limits.stall) / 4
        checkInterval = max(.milliseconds(5), min(checkInterval, interval))
        nextCheck = min(nextCheck, .now + checkInterval)
        guard curl_multi_add_handle(multi, handle.pointer) == CURLM_OK else {
            exchange.end(CacheError(.unreachable, "\(exchange.url.authority) can't be contacted: no memory"))
            return release(handle)
        }
    }

    /// Pauses or continues a transfer. When the transfer continues, libcurl first offers the bytes that it holds.
    private func set(_ reception: ReceptionChange, of exchange: CurlExchange) {
        guard let handle = handles[ObjectIdentifier(exchange)] else { return }
        curl_easy_pause(handle.pointer, reception == .paused ? CURLPAUSE_RECV : CURLPAUSE_CONT)
    }

    private func deliver() {
        while let exchange = deliverable.popLast() {
            if let reception = exchange.deliver() { set(reception, of: exchange) }
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
            guard let error = transfer.exchange.expired(at: now, transfer.handle) else { continue }
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
