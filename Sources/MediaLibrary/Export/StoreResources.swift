internal import HLS
package import MediaCache
package import MediaContainers
import Synchronization

/// The cached resources of a stream, for use on a thread that may block. The origin isn't contacted.
package struct StoreResources: StreamResources {
    private let store: CacheStore
    private let settings: TransferSettings
    private let control: OperationControl
    private let asset: Asset?
    private let contents: ContentsIndex?
    private let scope: DocumentScope
    private let countsAsUse: Bool

    /// - Parameters:
    ///   - asset: The asset that the contents belong to; nil for a window of a recording.
    ///   - contents: The resources at URLs under ``ContentsIndex/base``.
    ///   - countsAsUse: Whether reads count as uses of the resources.
    package init(
        _ store: CacheStore, settings: TransferSettings, control: OperationControl, asset: Asset? = nil,
        contents: ContentsIndex? = nil, countsAsUse: Bool = true
    ) { self.init(store, settings, control, asset, contents, DocumentScope(), countsAsUse) }

    private init(
        _ store: CacheStore, _ settings: TransferSettings, _ control: OperationControl, _ asset: Asset?,
        _ contents: ContentsIndex?, _ scope: DocumentScope, _ countsAsUse: Bool
    ) {
        self.store = store
        self.settings = settings.withoutOriginRequests
        self.control = control
        self.asset = asset
        self.contents = contents
        self.scope = scope
        self.countsAsUse = countsAsUse
    }

    /// Returns the same resources with another control.
    package func ended(by control: OperationControl) -> StoreResources {
        StoreResources(store, settings, control, asset, contents, scope, countsAsUse)
    }

    package func contents(of url: String, limit: Int) throws(ContainerError) -> (bytes: [UInt8], location: String) {
        if let name = ContentsIndex.name(of: url), let playlist = contents?.playlist(name) {
            return (Array(playlist.text.utf8), url)
        }
        if part(of: url)?.storedAs != nil { return (try bytes(of: url, in: 0..<Int64(limit)).bytes, url) }
        let body = try wait(for: url) { request in
            var whole = WholeBodyRequest(
                url: request.url, maximumLength: Int64(limit), settings: request.settings, revalidation: .never,
                kind: .playlist
            ) { _ in false }
            whole.countsAsUse = countsAsUse
            let body = try await store.wholeBody(whole)
            if case .playlist = BodyKind(of: body.bytes) { scope.narrow(toReferencesOf: body.head, at: request.url) }
            return body
        }
        return (body.bytes, (body.head.location?.description ?? url))
    }

    package func bytes(of url: String, range: Range<Int64>?) throws(ContainerError) -> ByteSlice<WindowedSource> {
        let first = range?.lowerBound ?? 0
        let (head, window) = try bytes(of: url, in: first..<first.clampedSum(Int64(SegmentFormat.probeLength)))
        guard let length = head.length else {
            throw ContainerError(
                .inputOutput, "\(url) is only partially cached", advice: "Download it with `get` first")
        }
        let source = WindowedSource(length: length, window: window, at: first) { (range) throws(ContainerError) in
            let (found, bytes) = try bytes(of: url, in: range)
            guard found.joins(head) else {
                throw ContainerError(.inputOutput, "\(url) changed while it was being read", at: range.lowerBound)
            }
            return bytes
        }
        return try ByteSlice(source, range ?? 0..<length)
    }

    private func bytes(
        of url: String, in range: Range<Int64>
    ) throws(ContainerError) -> (head: ResourceHead, bytes: [UInt8]) {
        // A range stored under its own cache key is presented as a whole resource.
        let part = part(of: url)
        let slice = part?.storedAs == nil ? nil : part?.range
        let first = (slice?.lowerBound ?? 0).clampedSum(range.lowerBound)
        let last = min((slice?.upperBound ?? .max) - 1, (slice?.lowerBound ?? 0).clampedSum(range.upperBound - 1))
        return try wait(for: url) { request in
            var request = request
            request.range = .closed(first, through: last)
            request.countsAsUse = countsAsUse
            let session = try await store.read(request)
            let bytes = try await session.collect()
            var head = session.head
            if let slice { head.length = min(Int64(slice.count), max(0, (head.length ?? .max) - slice.lowerBound)) }
            return (head, bytes)
        }
    }

    private func part(of url: String) -> AssetPart? { ContentsIndex.name(of: url).flatMap { contents?.part($0) } }

    /// Performs an asynchronous read after the access check, and waits for its result.
    private func wait<Value: Sendable>(
        for url: String, _ body: @escaping @Sendable (ReadRequest) async throws -> Value
    ) throws(ContainerError) -> Value {
        do {
            return try control.wait { try await read(url, body) }
        } catch {
            throw ContainerError(.inputOutput, "\(url) can't be read from the cache", cause: error)
        }
    }

    private func read<Value>(_ url: String, _ body: (ReadRequest) async throws -> Value) async throws -> Value {
        guard let part = part(of: url) else {
            let scope = scope.value
            let request = ReadRequest(url: try ResourceURL(url), settings: settings.narrowed(to: scope))
            // The user specified the first URL, so its cached bytes may be read regardless of the settings' scope.
            return try await scope == .publicOnly
                ? store.withAccessCheck(request, read: body) : body(request)
        }
        let request = try part.request(settings: settings, named: asset?.url)
        guard let asset else { return try await body(request) }
        return try await store.withAccessCheck(request, to: (part, asset), read: body)
    }
}

/// The address scope of URLs in the playlists of a stream. Reads don't indicate the playlist that contains their URL,
/// so it's the narrowest scope of all playlists read so far.
private final class DocumentScope: Sendable {
    private let scope = Mutex(AddressScope.any)

    var value: AddressScope { scope.withLock(\.self) }

    func narrow(toReferencesOf head: ResourceHead, at url: ResourceURL) {
        scope.withLock { scope in
            scope = AddressScope(ofReferencesAt: head.location ?? url, from: head.peer, requestedWith: scope)
        }
    }
}

extension TransferSettings {
    package var withoutOriginRequests: TransferSettings {
        var settings = self
        settings.allowsOriginRequests = false
        return settings
    }
}
