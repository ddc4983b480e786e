internal import MediaCache
internal import Synchronization

/// The redundant copy of the playlists that provides the URL of each part. Copies are numbered from 0.
struct PartCopies: Sendable {
    /// The copies by part index. Parts without an entry use the first copy.
    private var copies: [Int: Int] = [:]
    /// The copies from which each part couldn't be fetched.
    private var failed: [Int: Set<Int>] = [:]
    /// The copies that are no longer used for parts that haven't been started.
    private var abandoned: Set<Int> = []

    subscript(index: Int) -> Int {
        get { copies[index] ?? 0 }
        set { copies[index] = newValue }
    }

    /// Notes that a part couldn't be fetched from its copy. Returns the next copy to try; nil if all have failed.
    mutating func fail(_ index: Int, of count: Int) -> Int? {
        let own = self[index]
        failed[index, default: []].insert(own)
        return (1..<max(1, count)).lazy.map { (own + $0) % count }.first { failed[index]?.contains($0) != true }
    }

    /// Marks a copy as no longer used. Returns false if it already was.
    mutating func leave(_ copy: Int) -> Bool { abandoned.insert(copy).inserted }

    mutating func retry() {
        failed = [:]
        abandoned = []
    }
}

/// The failover to redundant variant streams and pathways (RFC 8216bis §6.2.4, §7).
extension DownloadRun {
    /// Switches a failed part, and parts of the same copy that haven't been started, to the next copy that has the
    /// part. Returns whether there is one.
    func failOver(_ index: Int, _ part: AssetPart, _ error: CacheError) async -> Bool {
        guard error.isFailureOfOrigin, !Task.isCancelled else { return false }
        let links = state.withLock { $0.contents.copyCount > 1 ? $0.links : nil }
        guard let links else { return false }
        while let (own, copy) = state.withLock({ state in
            state.copies.fail(index, of: state.contents.copyCount).map { (state.copies[index], $0) }
        }) {
            guard let parts = try? await links.parts(ofCopy: copy),
                parts[part.identity].map({ $0.url != part.url }) == true
            else {
                guard !Task.isCancelled else { return false }
                state.withLock { $0.copies[index] = copy }
                continue
            }
            let (contents, removed) = state.withLock { state in
                let removed = move(index, from: own, to: copy, parts, &state)
                state.queue.released(index)
                return (state.contents, removed)
            }
            for index in removed { meter.removed(index) }
            try? await dependencies.assetStore.setContents(contents, of: id)
            return true
        }
        return false
    }

    /// Replaces the URLs of a part, of the other ranges of its resource and, when a copy first fails, of the copy's
    /// whole resources that haven't been started, with those of another copy. Returns the complete parts that must be
    /// fetched again, because ranges of one resource must share a URL.
    private func move(
        _ index: Int, from own: Int, to copy: Int, _ parts: [AssetPart.Identity: AssetPart], _ state: inout State
    ) -> [Int] {
        let name = state.contents.parts[index].name
        let movesAll = state.copies.leave(own)
        var removed: [Int] = []
        for other in state.contents.parts.indices where state.copies[other] == own {
            let known = state.contents.parts[other]
            let isSibling = other == index || known.range != nil && known.name == name
            let isNotStarted = known.range == nil && state.queue.states[other] == .missing && meter.isEmpty(other)
            guard isSibling || movesAll && isNotStarted, let part = parts[known.identity] else { continue }
            state.contents.parts[other].url = part.url
            state.contents.parts[other].scope = part.scope
            state.copies[other] = copy
            if isSibling, state.queue.states[other] == .done { removed.append(other) }
        }
        state.queue.removed(removed)
        return removed
    }
}
