/// Somebody who is shown what comes from origins, and can change nothing.
///
/// It sees each buffer as the origin sent it, before any ``ContentTransform``; what is already kept doesn't come, and
/// isn't shown. Buffers of one response come in order, those of several responses as they arrive. Nothing waits for an
/// observer: while it works on one buffer, up to 4 MiB are held for it, and what comes beyond that is left out;
/// ``ObservedBytes/missed`` says how much.
public struct ContentObserver: Sendable {
    /// What it's shown.
    public let kinds: Set<ResourceKind>
    let observe: @Sendable (ObservedBytes) async -> Void

    /// Creates an observer of what is of `kinds`; `observe` is called with one buffer at a time.
    public init(
        kinds: Set<ResourceKind> = Set(ResourceKind.allCases),
        observe: @escaping @Sendable (ObservedBytes) async -> Void
    ) {
        self.kinds = kinds
        self.observe = observe
    }
}

/// Bytes of a resource as its origin sent them.
public struct ObservedBytes: Sendable {
    /// What they are of.
    public let url: ResourceURL
    /// What that is to who reads it.
    public let kind: ResourceKind
    /// Where they lie in it.
    public let range: Range<Int64>
    /// How many bytes, of this resource or others, this observer was too slow to be shown since the last.
    public internal(set) var missed: Int64 = 0
    let piece: OriginPiece

    /// Calls `body` with the bytes, which are valid only during the call.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try piece.withUnsafeBytes(body)
    }
}
