import MediaCache
import MediaCacheTesting
import Testing

@testable import MediaCacheAVFoundation

/// A simulated player that makes the requests which a test specifies. Tests imitate AVPlayer: it first requests two
/// bytes, then large overlapping ranges, which it cancels and repeats, and the end of the file for the index.
final class ScriptedPlayer {
    let origin: ScriptedOrigin
    let url: ResourceURL
    let body: ScriptedBody
    let loader: ResourceLoader
    /// The signal sent after each call to a request.
    let changes = ChangeSignal()
    private(set) var requests: [ScriptedLoadingRequest] = []

    init(
        of body: ScriptedBody, at url: ResourceURL, origin: ScriptedOrigin, store: CacheStore,
        policy: FillPolicy = .onDemand, settings: TransferSettings? = nil, pace: DeliveryPace = DeliveryPace()
    ) {
        (self.origin, self.url, self.body) = (origin, url, body)
        loader = ResourceLoader(url, from: store, settings: settings, policy: policy, pace: pace)
    }

    /// Requests bytes; without a length, all bytes to the end.
    @discardableResult
    func request(
        _ offset: Int64, _ length: Int64? = nil, wantsContentInformation: Bool = false,
        _ location: SourceLocation = #_sourceLocation
    ) -> ScriptedLoadingRequest {
        let request = ScriptedLoadingRequest(
            CachingScheme.url(for: url), wantsContentInformation: wantsContentInformation,
            data: RequestedData(offset: offset, length: length ?? body.length - offset, isToEnd: length == nil),
            changes: changes)
        requests.append(request)
        #expect(loader.load(request), sourceLocation: location)
        return request
    }

    /// Makes the first request of a player, for content information and two bytes.
    func open() async -> ScriptedLoadingRequest {
        let request = request(0, 2, wantsContentInformation: true)
        await eventually { request.isOver }
        return request
    }

    func requestContentInformation(
        _ data: RequestedData?, allowing types: [String] = []
    ) async -> ScriptedLoadingRequest {
        let request = ScriptedLoadingRequest(
            CachingScheme.url(for: url), wantsContentInformation: true, allowing: types, data: data, changes: changes)
        requests.append(request)
        #expect(loader.load(request))
        await eventually { request.isOver }
        return request
    }

    func cancel(_ request: ScriptedLoadingRequest) {
        loader.cancel(request)
        request.cancel()
    }

    func cancelAll() {
        for request in requests where !request.isOver { cancel(request) }
    }

    /// Checks that all requests received the correct bytes, no calls after they finished or failed, and at most one after
    /// they were cancelled.
    func check(_ location: SourceLocation = #_sourceLocation) {
        for request in requests {
            let offset = request.data?.offset ?? 0
            #expect(
                body.matches(request.bytes, at: offset), "wrong bytes after offset \(offset)", sourceLocation: location)
            #expect(request.callsAfterEnd == 0, sourceLocation: location)
            #expect(request.callsAfterCancellation <= 1, sourceLocation: location)
            guard request.isFinished, let data = request.data else { continue }
            let end = data.isToEnd ? body.length : min(body.length, offset + data.length)
            #expect(request.count == Int(end - offset), sourceLocation: location)
        }
    }

    var sent: Int64 { origin.requests(for: url).reduce(0) { $0 + $1.bodyBytes } }

    /// Waits until a condition is true. Checks it immediately, and after each call of the loader to a request.
    func eventually(_ condition: () -> Bool) async { await changes.wait(until: condition) }
}
