/// The fills of a version's bytes that aren't stored. Readers at nearby positions share a fill.
final class MemoryFills: Sendable {
    private struct State {
        var fills: [MemoryFill] = []
        var length: Int64?
    }

    private let engine: Engine
    private let locator: ResourceLocator
    private let state = OrderedMutex(.memoryFills, State())

    init(engine: Engine, locator: ResourceLocator) {
        self.engine = engine
        self.locator = locator
    }

    /// The complete length, if a fill has learned it.
    var length: Int64? { state.withLock { $0.length } }

    var isEmpty: Bool { state.withLock { $0.fills.isEmpty } }

    /// Adds a reader to a running fill near the range with the same audience. Returns nil if there is none.
    func joinRunning(
        _ range: Range<Int64>, _ request: ReadRequest, _ pipeline: ContentPipeline
    ) -> MemoryFill.Reader? {
        let audience = audience(request.settings, pipeline)
        let fills = state.withLock { $0.fills }
        for fill in fills where fill.audience == audience {
            if let reader = fill.join(at: range.lowerBound, until: range.upperBound, request.transferClass) {
                return reader
            }
        }
        return nil
    }

    /// Adds a reader to a running fill near the range, or to a new fill. Returns nil if ``end()`` has ended the new
    /// fill in the meantime.
    func join(
        _ range: Range<Int64>, of head: ResourceHead, _ request: ReadRequest, _ pipeline: ContentPipeline
    ) -> MemoryFill.Reader? {
        if let running = joinRunning(range, request, pipeline) { return running }
        let isUnbounded = range.upperBound == .max
        let known = KnownRepresentation(validator: head.validator, length: head.length)
        let reader = OriginReader(
            context: engine.originContext(request.settings), locator: locator,
            requested: .from(range.lowerBound, to: isUnbounded ? nil : range.upperBound), known: known,
            pipeline: pipeline)
        let ticket = engine.scheduler.ticket(
            for: locator.url, transferClass: request.transferClass, group: request.group)
        let preceding = bytes(before: range.lowerBound, audience(request.settings, pipeline))
        let blob = MemoryBlob(start: range.lowerBound, limit: range.upperBound, preceding: preceding)
        let fill = add(
            blob, from: Transfer(engine: engine, reader: reader, ticket: ticket), settings: request.settings,
            FrontCheck(of: head))
        defer { fill.start() }
        return fill.join(at: range.lowerBound, until: range.upperBound, request.transferClass)
    }

    /// Continues a received response as a fill. Returns a reader that preserves the first bytes until it's released. If
    /// no other reader has joined a short time later, the fill ends.
    func adopt(_ transfer: Transfer, settings: TransferSettings?) async -> MemoryFill.Reader {
        let (start, limit) = (await transfer.reader.start, await transfer.reader.end ?? .max)
        let sendsAll = await transfer.reader.responseHead?.ignoredRange ?? false
        let blob = MemoryBlob(start: start, limit: max(start, limit), sendsAll: sendsAll)
        let fill = add(blob, from: transfer, settings: settings)
        let hold = fill.hold()
        fill.start()
        return hold
    }

    /// Ends all fills, because the store is closed or suspended.
    func end() {
        for fill in state.withLock({ $0.fills }) { fill.end() }
    }

    private func add(
        _ blob: MemoryBlob, from transfer: Transfer, settings: TransferSettings?, _ check: FrontCheck? = nil
    ) -> MemoryFill {
        let fill = MemoryFill(
            blob, from: transfer, audience: audience(settings, transfer.reader.pipeline), check: check,
            onLength: { [weak self] length in self?.state.withLock { $0.length = length } },
            onEnd: { [weak self] in self?.remove($0) })
        state.withLock { $0.fills.append(fill) }
        return fill
    }

    /// Returns the bytes before a position that a fill has in memory, at most as many as a resumed request compares.
    private func bytes(before position: Int64, _ audience: MemoryFill.Audience) -> [UInt8] {
        state.withLock { $0.fills }.lazy.filter { $0.audience == audience }
            .map { $0.bytes(before: position, atMost: OriginReader.overlap) }.max { $0.count < $1.count } ?? []
    }

    private func audience(_ settings: TransferSettings?, _ pipeline: ContentPipeline?) -> MemoryFill.Audience {
        let exchange = OriginExchange(context: engine.originContext(settings), locator: locator)
        return MemoryFill.Audience(
            fields: exchange.context.settings.headerFields(for: locator.url, now: exchange.context.time.now),
            scope: exchange.context.settings.scope,
            kind: pipeline?.kind ?? .file, transform: pipeline?.transform?.applied)
    }

    private func remove(_ fill: MemoryFill) {
        state.withLock { $0.fills.removeAll { $0 === fill } }
    }
}
