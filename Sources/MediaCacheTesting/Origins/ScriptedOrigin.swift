public import HTTPTypes
public import MediaCache
import Synchronization

/// An in-process origin with scripted resources and faults, which records its requests.
///
/// Without faults, it behaves like a correct server. It supports single ranges, `If-Range`, `If-None-Match` and
/// `If-Modified-Since`.
public final class ScriptedOrigin: Origin {
    private struct Entry {
        var resource: ScriptedResource?
        var requests = 0
        var next: [[ScriptedFault]] = []
        var always: [ScriptedFault] = []
    }

    private struct Watcher {
        var isReached: @Sendable ([ScriptedRequest]) -> Bool
        var continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var entries: [ResourceURL: Entry] = [:]
        var requests: [ScriptedRequest] = []
        var tunnels: [(authority: String, headerFields: HTTPFields)] = []
        var bodyBytes: Int64 = 0
        var isReachable = true
        var watchers: [Int: Watcher] = [:]
        var nextWatcher = 0
    }

    private let state = Mutex(State())
    private let time: (any TimeSource)?

    /// Creates an origin without resources. Without a clock, nothing times out.
    public init(time: (any TimeSource)? = nil) { self.time = time }

    /// The resource at `url` without its user information; nil for a 404 response. Setting it preserves the faults.
    public subscript(url: ResourceURL) -> ScriptedResource? {
        get { state.withLock { $0.entries[url.withoutUserInfo]?.resource } }
        set { state.withLock { $0.entries[url.withoutUserInfo, default: Entry()].resource = newValue } }
    }

    /// Replaces the body and the entity tag at `url`, or adds a resource. Running responses keep the old body.
    public func replaceBody(_ url: ResourceURL, with body: ScriptedBody, entityTag: String?) {
        state.withLock { state in
            var resource = state.entries[url.withoutUserInfo]?.resource ?? ScriptedResource(body)
            resource.body = body
            resource.entityTags = entityTag.map { [$0] } ?? []
            state.entries[url.withoutUserInfo, default: Entry()].resource = resource
        }
    }

    /// Adds faults for the next request for `url`; none for a correct response. Several calls apply to consecutive
    /// requests.
    public func next(_ url: ResourceURL, _ faults: ScriptedFault...) {
        state.withLock { $0.entries[url.withoutUserInfo, default: Entry()].next.append(faults) }
    }

    /// Replaces the faults of all requests for `url` to which no call of ``next(_:_:)`` applies.
    public func always(_ url: ResourceURL, _ faults: ScriptedFault...) {
        state.withLock { $0.entries[url.withoutUserInfo, default: Entry()].always = faults }
    }

    /// Removes all faults of `url`.
    public func clearFaults(_ url: ResourceURL) {
        state.withLock { state in
            state.entries[url.withoutUserInfo]?.next = []
            state.entries[url.withoutUserInfo]?.always = []
        }
    }

    /// Whether the origin can be reached. While it can't, requests fail with `unreachable` and aren't recorded.
    public var isReachable: Bool {
        get { state.withLock { $0.isReachable } }
        set { state.withLock { $0.isReachable = newValue } }
    }

    /// Responds as scripted; see `Origin.send(_:)`. Throws `CacheError` with `unreachable`, `forbiddenAddress`,
    /// `timedOut` or `cancelled`.
    public func send(_ request: OriginRequest) async throws -> OriginResponse {
        if Task.isCancelled { throw CacheError(.cancelled, "the request to \(request.url) was cancelled") }
        let exchange = try begin(request)
        let authority = request.url.authority
        for gate in exchange.reply.headGates {
            switch await ScriptedWait().run(gate: gate, limit: request.limits.firstByte, time: time) {
            case .opened:
                continue
            case .cancelled:
                exchange.finish(.cancelled)
                throw CacheError(.cancelled, "the request to \(request.url) was cancelled")
            case .timedOut:
                exchange.finish(.cancelled)
                throw CacheError(.timedOut, "\(authority) didn't respond within \(request.limits.firstByte)")
            }
        }
        if exchange.reply.isUnreachable {
            exchange.finish(.broken)
            throw CacheError(.unreachable, "\(authority) closed the connection without a response")
        }
        return OriginResponse(
            status: exchange.reply.status, headerFields: exchange.reply.headerFields, peer: exchange.reply.peer,
            body: ScriptedOriginBody(exchange: exchange, limits: request.limits, time: time))
    }
}

extension ScriptedOrigin {
    /// All requests so far in the order of their arrival.
    public var requests: [ScriptedRequest] { state.withLock { $0.requests } }

    /// Returns the requests for `url` so far. User information in the URL is ignored.
    public func requests(for url: ResourceURL) -> [ScriptedRequest] {
        requests.filter { $0.url == url.withoutUserInfo }
    }

    /// The CONNECT requests so far, with their authorities (RFC 9110 §9.3.6).
    public var tunnels: [(authority: String, headerFields: HTTPFields)] { state.withLock { $0.tunnels } }

    /// The number of body bytes sent.
    public var bodyBytes: Int64 { state.withLock { $0.bodyBytes } }

    /// Waits until at least `count` requests have arrived, or the task is cancelled.
    public func waitForRequests(_ count: Int) async { await wait { $0.count >= count } }

    /// Waits until `condition` is true for the requests so far, or the task is cancelled. The condition is checked
    /// under a lock, so it must not call the origin.
    public func wait(until condition: @escaping @Sendable ([ScriptedRequest]) -> Bool) async {
        let id = state.withLock { state in
            state.nextWatcher += 1
            return state.nextWatcher
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReached = state.withLock { state in
                    if condition(state.requests) || Task.isCancelled { return true }
                    state.watchers[id] = Watcher(isReached: condition, continuation: continuation)
                    return false
                }
                if isReached { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.watchers.removeValue(forKey: id) }?.continuation.resume()
        }
    }

    /// Records a request and determines its response. Throws `CacheError` for a request that isn't recorded.
    func begin(_ request: OriginRequest) throws -> ScriptedExchange {
        let url = request.url.withoutUserInfo
        let content = try request.content?.bytes() ?? []
        return try change { state in
            guard state.isReachable else {
                throw CacheError(.unreachable, "\(url.authority) refused the connection")
            }
            var entry = state.entries[url] ?? Entry()
            if request.scope == .publicOnly, entry.resource?.peer == .local {
                throw CacheError(.forbiddenAddress, "\(url.authority) has a local address, which may not be contacted")
            }
            let faults = entry.next.isEmpty ? entry.always : entry.next.removeFirst()
            let reply = ScriptedReply(
                resource: entry.resource, fields: request.headerFields, number: entry.requests, faults: faults)
            entry.requests += 1
            state.entries[url] = entry
            let number = state.requests.count
            state.requests.append(
                ScriptedRequest(
                    number: number, method: request.method, content: content, url: url,
                    headerFields: request.headerFields, range: ScriptedReply.parseRange(request.headerFields[.range]),
                    limits: request.limits, status: reply.status))
            return ScriptedExchange(reply: reply, number: number, url: url, origin: self)
        }
    }

    func didTunnel(to authority: String, _ fields: HTTPFields) { change { $0.tunnels.append((authority, fields)) } }

    func didHandOver(_ count: Int, request number: Int) {
        change { state in
            state.bodyBytes += Int64(count)
            state.requests[number].bodyBytes += Int64(count)
        }
    }

    func didEnd(_ progress: ScriptedRequest.Progress, request number: Int) {
        change { $0.requests[number].progress = progress }
    }

    /// Changes the state and resumes waiters if their conditions are true.
    private func change<R: Sendable>(_ body: (inout State) throws -> R) rethrows -> R {
        let (result, reached) = try state.withLock { state in
            let result = try body(&state)
            let reached = state.watchers.filter { $0.value.isReached(state.requests) }
            for id in reached.keys { state.watchers[id] = nil }
            return (result, reached.values.map(\.continuation))
        }
        for continuation in reached { continuation.resume() }
        return result
    }
}

/// A request received by a scripted origin, and its progress.
public struct ScriptedRequest: Sendable {
    /// The progress of an exchange.
    public enum Progress: Sendable, Hashable {
        /// The response is being sent.
        case running
        /// The response has been sent completely.
        case complete
        /// The reader cancelled the exchange or closed the connection, or a time limit expired.
        case cancelled
        /// A fault ended the exchange.
        case broken
    }

    /// The index of the request, starting at 0.
    public let number: Int
    /// The method.
    public let method: HTTPRequest.Method
    /// The content; empty if there is none.
    public let content: [UInt8]
    /// The URL without user information.
    public let url: ResourceURL
    /// The header fields as received.
    public let headerFields: HTTPFields
    /// The requested range; nil unless there is a single valid one.
    public let range: RequestedRange?
    /// The time limits of the request.
    public let limits: TransferLimits
    /// The status of the response.
    public let status: Int
    /// The number of body bytes sent so far.
    public internal(set) var bodyBytes: Int64 = 0
    /// The progress of the exchange.
    public internal(set) var progress: Progress = .running
}
