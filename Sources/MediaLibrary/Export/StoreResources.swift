package import MediaCache
package import MediaContainers

/// The resources of a stream as a store has them, for work on a thread that may wait. No origin is asked: a hole is an
/// error.
package struct StoreResources: StreamResources {
    private let store: CacheStore
    private let settings: TransferSettings
    private let control: WorkControl
    private let asset: ContentsIndex?

    /// - Parameters:
    ///   - store: where they are kept.
    ///   - settings: how they are read, and in whose name.
    ///   - control: what ends the work.
    ///   - asset: what URLs under ``ContentsIndex/base`` name, where an asset is read.
    package init(
        _ store: CacheStore, settings: TransferSettings, control: WorkControl, asset: ContentsIndex? = nil
    ) {
        self.store = store
        self.settings = settings.askingNoOrigins
        self.control = control
        self.asset = asset
    }

    /// The same, whose waiting something else ends.
    package func ended(by control: WorkControl) -> StoreResources {
        StoreResources(store, settings: settings, control: control, asset: asset)
    }

    /// Reads all of a small resource; see `StreamResources`.
    package func contents(of url: String, limit: Int) throws(ContainerError) -> (bytes: [UInt8], location: String) {
        if let name = ContentsIndex.name(of: url), let playlist = asset?.playlist(name) {
            return (Array(playlist.text.utf8), url)
        }
        if ContentsIndex.name(of: url).flatMap({ asset?.part($0) })?.keptAs != nil {
            return (try part(of: url, 0..<Int64(limit)).bytes, url)
        }
        let body = try wait(for: url) { store, url, settings in
            try await store.wholeBody(
                WholeBodyRequest(
                    url: url, maximumLength: Int64(limit), settings: settings, revalidation: .never, kind: .playlist
                ) { _ in false })
        }
        return (body.bytes, (body.head.location?.description ?? url))
    }

    /// Opens a media segment; see `StreamResources`.
    package func bytes(of url: String, range: Range<Int64>?) throws(ContainerError) -> ByteSlice<WindowedSource> {
        let first = range?.lowerBound ?? 0
        let (head, window) = try part(of: url, first..<first.clampedSum(Int64(SegmentFormat.probeLength)))
        guard let length = head.length else {
            throw ContainerError(.inputOutput, "\(url): not all of it is kept", advice: "`get` all of it first")
        }
        let source = WindowedSource(
            length: length, window: window, at: first
        ) { (range) throws(ContainerError) in
            let (found, bytes) = try part(of: url, range)
            guard found.entityTag == head.entityTag else {
                throw ContainerError(.inputOutput, "\(url) changed while it was read", at: range.lowerBound)
            }
            return bytes
        }
        return try ByteSlice(source, range ?? 0..<length)
    }

    private func part(
        of url: String, _ range: Range<Int64>
    ) throws(ContainerError) -> (head: ResourceHead, bytes: [UInt8]) {
        // A slice that is kept by itself is all that there is to its reader.
        let part = ContentsIndex.name(of: url).flatMap { asset?.part($0) }
        let slice = part?.keptAs == nil ? nil : part?.range
        let first = (slice?.lowerBound ?? 0).clampedSum(range.lowerBound)
        let last = min((slice?.upperBound ?? .max) - 1, (slice?.lowerBound ?? 0).clampedSum(range.upperBound - 1))
        return try wait(for: url) { store, url, settings in
            var request = ReadRequest(url: url, range: .closed(first, through: last), settings: settings)
            request.name = part?.keptAs
            let session = try await store.read(request)
            defer { session.cancel() }
            var bytes: [UInt8] = []
            for try await buffer in session.buffers { bytes += buffer }
            var head = session.head
            if let slice { head.length = min(Int64(slice.count), max(0, (head.length ?? .max) - slice.lowerBound)) }
            return (head, bytes)
        }
    }

    private func wait<Value: Sendable>(
        for url: String,
        _ body: @escaping @Sendable (CacheStore, ResourceURL, TransferSettings) async throws -> Value
    ) throws(ContainerError) -> Value {
        do {
            let (store, settings) = (store, settings)
            let part = ContentsIndex.name(of: url).flatMap { asset?.part($0) }
            let resource = try ResourceURL(part?.url ?? url)
            return try control.wait { try await body(store, resource, settings) }
        } catch {
            throw ContainerError(.inputOutput, "\(url) can't be read from the cache", cause: error)
        }
    }
}

extension TransferSettings {
    /// These settings for reads that ask no origin for anything.
    package var askingNoOrigins: TransferSettings {
        var settings = self
        settings.asksOrigins = false
        return settings
    }
}
