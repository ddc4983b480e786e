/// What a representation knows of its file.
struct BlobState {
    var file: (any BlobFile)?
    var isKept: Bool
    /// Whether the file's name isn't durable yet.
    var isNew: Bool
    /// Whether the file may have a name outside the cache: to be looked at before it's next written.
    var mayBeLinked: Bool
    /// The spans that the catalog knows. The rest is lost if it can't be synced.
    var committed: SpanMap
    /// Whether a commit of this representation is under way.
    var isCommitting = false
    /// Set once: it's being deleted, and may not come back by a late commit.
    var isAbandoned = false
    /// The spans that the sidecar on disk lists, if this opening wrote it.
    var listed: SpanMap?
    var roomWaiters: [CheckedContinuation<Void, Never>] = []
    var fillWaiters: [CheckedContinuation<Void, Never>] = []
    var verifying: Set<Range<Int64>> = []

    init(isKept: Bool, isNew: Bool, committed: SpanMap) {
        self.isKept = isKept
        self.isNew = isNew
        mayBeLinked = !isNew
        self.committed = committed
    }
}
