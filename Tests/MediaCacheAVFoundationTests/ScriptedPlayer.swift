import MediaCache
import MediaCacheTesting
import Testing

@testable import MediaCacheAVFoundation

/// A player that asks as AVPlayer is known to: two bytes first, then large requests that overlap, which it cancels and makes
/// again, and jumps to the tail for the index.
final class ScriptedPlayer {
    let origin: ScriptedOrigin
    let url: ResourceURL
    let body: ScriptedBody
    let loader: ResourceLoader
    /// What becomes of its requests.
    let changes = ChangeSignal()
    private(set) var requests: [ScriptedLoadingRequest] = []

    init(
        of body: ScriptedBody, at url: ResourceURL, origin: ScriptedOrigin, store: CacheStore,
        policy: FillPolicy = .onDemand, settings: TransferSettings? = nil
    ) {
        (self.origin, self.url, self.body) = (origin, url, body)
        loader = ResourceLoader(url, from: store, settings: settings, policy: policy)
    }

    /// Asks for bytes.
    @discardableResult
    func ask(
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

    /// What it asks first.
    func open() async -> ScriptedLoadingRequest {
        let request = ask(0, 2, wantsContentInformation: true)
        await eventually { request.isOver }
        return request
    }

    /// Asks to know what it is, without bytes.
    func askWhatItIs(_ data: RequestedData?) async -> ScriptedLoadingRequest {
        let request = ScriptedLoadingRequest(
            CachingScheme.url(for: url), wantsContentInformation: true, data: data, changes: changes)
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

    /// Whether all that came is what the resource has there.
    func check(_ location: SourceLocation = #_sourceLocation) {
        for request in requests {
            let offset = request.data?.offset ?? 0
            #expect(body.matches(request.bytes, at: offset), "wrong bytes behind \(offset)", sourceLocation: location)
            #expect(request.callsAfterTheEnd == 0, sourceLocation: location)
            #expect(request.callsAfterCancellation <= 1, sourceLocation: location)
            guard request.isFinished, let data = request.data else { continue }
            let end = data.isToEnd ? body.length : min(body.length, offset + data.length)
            #expect(request.count == Int(end - offset), sourceLocation: location)
        }
    }

    /// How many bytes its origin sent.
    var sent: Int64 { origin.requests(for: url).reduce(0) { $0 + $1.bodyBytes } }

    /// Returns when something is so that its requests were told.
    func eventually(_ condition: () -> Bool) async { await changes.wait(until: condition) }
}
