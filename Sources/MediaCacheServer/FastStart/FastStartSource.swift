import MediaCache
import MediaContainers

/// A source that presents MP4 files with their index at the front, rearranged while they are read.
///
/// An index at the end of the file is fetched first, so that a player that reads from the front can start. The cache
/// stores the origin's bytes unchanged. Other files are read unchanged.
final class FastStartSource: ByteReaderSource {
    private let store: CacheStore
    private let base: any ByteReaderSource
    private let isAlwaysOn: Bool
    private let plans: FastStartPlans

    /// - Parameters:
    ///   - base: The source of all other resources.
    ///   - isAlwaysOn: Whether files with an MP4 file's extension are rearranged even without `faststart=1`.
    init(
        store: CacheStore, base: any ByteReaderSource, isAlwaysOn: Bool, plans: FastStartPlans = FastStartPlans()
    ) {
        self.plans = plans
        self.store = store
        self.base = base
        self.isAlwaysOn = isAlwaysOn
    }

    func readerIfOpen(_ request: ReadRequest, for target: PlayTarget) throws -> (any ByteReader)? {
        isEnabled(for: target) ? nil : try base.readerIfOpen(request, for: target)
    }

    func reader(_ request: ReadRequest, for target: PlayTarget) async throws -> any ByteReader {
        guard isEnabled(for: target) else { return try await base.reader(request, for: target) }
        var front = request
        front.range = .closed(0, through: FastStartPlans.frontLength - 1)
        let first = try await base.reader(front, for: target)
        defer { first.cancel() }
        guard first is ReadSession, let length = first.head.length, Self.mayBeMP4(first.head.contentType),
            let layout = try await plans.layout(of: front, in: store, head: first.head, length: length)
        else { return try await base.reader(request, for: target) }
        let range = try request.range.resolved(in: layout.length, of: "\(request.url)")
        return LayoutReader(
            layout, of: request, in: store, original: first.head, range: range, hold: try plans.hold(layout))
    }

    /// Returns whether the URL requests fast start, or fast start is always on and the URL has an MP4 file's extension.
    private func isEnabled(for target: PlayTarget) -> Bool {
        if target.options.fastStart { return true }
        guard isAlwaysOn else { return false }
        return ["mp4", "m4v", "m4a", "m4b", "mov", "qt", "3gp", "3g2"].contains(target.url.pathExtension.lowercased())
    }

    private static func mayBeMP4(_ contentType: String) -> Bool {
        let type = MediaType.essence(contentType) ?? ""
        return ["mp4", "quicktime", "3gp", "m4a", "m4v", "octet-stream"].contains { type.contains($0) }
    }
}
