import MediaCache
import MediaContainers
import Synchronization

/// A reader of a file that is put together from another one's bytes and generated ones.
///
/// One reader polls, as of any `ByteReader`; what it reads of the resource goes through sessions of the store, one for
/// each run of bytes.
final class LayoutReader: ByteReader {
    private struct State {
        var position: Int64
        var session: ReadSession?
        /// Whether a session is being opened; who polls meanwhile waits for the same.
        var isOpening = false
        var opening: Task<Void, Never>?
        var onReady: (@Sendable () -> Void)?
        var failure: CacheError?
        var isCancelled = false
    }

    let head: ResourceHead
    let range: Range<Int64>
    private let layout: ByteLayout
    private let request: ReadRequest
    private let store: CacheStore
    /// What tells the version that the layout is of.
    private let entityTag: String
    private let onChange: @Sendable () -> Void
    /// Counts the layout's bytes of memory.
    private let hold: FastStartPlans.Hold?
    private let state: Mutex<State>

    /// - Parameters:
    ///   - request: how the resource is read; its range is passed over.
    ///   - original: the head of the version that the layout is of.
    ///   - range: the bytes of the file to read.
    ///   - contentType: the file's media type; nil where it's the resource's.
    ///   - mark: what tells its tag from that of another layout of the same version.
    ///   - hold: counts the layout's bytes of memory while this reader exists.
    ///   - onChange: called when the resource isn't the version any more that the layout is of.
    init(
        _ layout: ByteLayout, of request: ReadRequest, in store: CacheStore, original: ResourceHead,
        range: Range<Int64>, contentType: String? = nil, mark: String = "fs",
        hold: FastStartPlans.Hold? = nil,
        onChange: @escaping @Sendable () -> Void = {}
    ) {
        self.layout = layout
        self.request = request
        self.store = store
        self.range = range
        self.onChange = onChange
        self.hold = hold
        entityTag = original.entityTag
        var head = original
        head.length = layout.length
        if let contentType { head.contentType = contentType }
        head.entityTag = Self.tag(original.entityTag, mark)
        self.head = head
        state = Mutex(State(position: range.lowerBound))
    }

    deinit { cancel() }

    func poll(maximum: Int, onReady: @escaping @Sendable () -> Void) -> ReadStep {
        let (position, session, failure) = state.withLock { ($0.position, $0.session, $0.failure) }
        if let failure { return .failed(failure) }
        let near = position..<min(range.upperBound, position.clampedSum(Int64(maximum)))
        guard let piece = layout.pieces(in: near).first else { return .end }
        switch piece {
        case .generated(let bytes):
            return .bytes(HeldBytes(bytes: bytes), offset: 0, count: bytes.count)
        case .source(let part):
            guard let session = session ?? open(at: position, onReady) else { return .wait }
            let most = Int(part.upperBound - part.lowerBound)
            // No lock is held: the session may call others.
            switch session.poll(maximum: most, onReady: onReady) {
            case .end:
                return .failed(CacheError(.badResponse, "\(request.url) ended before its index said"))
            case let step: return step
            }
        }
    }

    func consume(_ count: Int) {
        let session = state.withLock { state in
            state.position += Int64(count)
            return state.session
        }
        guard let session else { return }
        session.consume(count)
        guard session.position >= session.range.upperBound else { return }
        state.withLock { $0.session = nil }
        session.cancel()
    }

    func readFailed(count: Int, error: any Error) {
        state.withLock { $0.session }?.readFailed(count: count, error: error)
    }

    func cancel() {
        let (session, opening) = state.withLock { state in
            state.isCancelled = true
            defer { (state.session, state.opening, state.onReady) = (nil, nil, nil) }
            return (state.session, state.opening)
        }
        opening?.cancel()
        session?.cancel()
    }

    /// A session over the run of the resource's bytes that begins at a byte of the file: at once where the resource is
    /// open, else `onReady` is called when it is.
    private func open(at position: Int64, _ onReady: @escaping @Sendable () -> Void) -> ReadSession? {
        guard case .source(let source)? = layout.pieces(in: position..<range.upperBound).first else { return nil }
        var part = request
        part.range = .closed(source.lowerBound, through: source.upperBound - 1)
        let (known, opens) = state.withLock { state -> (ReadSession?, Bool) in
            if let session = state.session { return (session, false) }
            state.onReady = onReady
            defer { state.isOpening = true }
            return (nil, !state.isOpening)
        }
        guard opens else { return known }
        if let session = try? store.readIfOpen(part), session.head.entityTag == entityTag {
            state.withLock { ($0.session, $0.isOpening, $0.onReady) = (session, false, nil) }
            return session
        }
        let task = Task { [part] in
            do {
                let session = try await store.read(part)
                guard session.head.entityTag == entityTag else {
                    session.cancel()
                    throw CacheError(.representationChanged, "\(part.url) changed while it was read")
                }
                opened(.success(session))
            } catch {
                opened(.failure(CacheError.wrap(error, as: .storage, "\(part.url) can't be opened")))
            }
        }
        let isUnwanted = state.withLock { state in
            if state.isOpening { state.opening = task }
            return state.isCancelled
        }
        if isUnwanted { task.cancel() }
        return nil
    }

    private func opened(_ result: Result<ReadSession, CacheError>) {
        let (unwanted, onReady) = state.withLock { state -> (ReadSession?, (@Sendable () -> Void)?) in
            state.isOpening = false
            state.opening = nil
            defer { state.onReady = nil }
            switch result {
            case .success(let session) where state.isCancelled: return (session, nil)
            case .success(let session): state.session = session
            case .failure(let error): state.failure = error
            }
            return (nil, state.onReady)
        }
        unwanted?.cancel()
        if case .failure(let error) = result, error.code == .representationChanged { onChange() }
        onReady?()
    }

    /// The bytes are others than the origin's under this tag, and the same each time.
    private static func tag(_ original: String, _ mark: String) -> String {
        let isWeak = original.hasPrefix("W/")
        let opaque = original.dropFirst(isWeak ? 2 : 0).filter { $0 != "\"" }
        return "\(isWeak ? "W/" : "")\"mc-\(mark)-\(opaque)\""
    }
}
