import MediaCache
import MediaContainers

/// Opens readers of MP4 files as if their index came first: a view of the origin's bytes, put together as they are read.
///
/// The end of the file is fetched first where the index is there, so that a player that reads from the front starts with
/// what it needs. What is kept are the origin's bytes. Anything else than such a file is read as it is.
final class FastStartSource: ByteReaderSource {
    private let store: CacheStore
    private let base: any ByteReaderSource
    private let isAlwaysOn: Bool
    private let plans: FastStartPlans

    /// - Parameters:
    ///   - base: what opens everything else.
    ///   - isAlwaysOn: whether MP4 files are rearranged unasked.
    ///   - plans: finds and remembers how files are rearranged.
    init(
        store: CacheStore, base: any ByteReaderSource, isAlwaysOn: Bool, plans: FastStartPlans = FastStartPlans()
    ) {
        self.plans = plans
        self.store = store
        self.base = base
        self.isAlwaysOn = isAlwaysOn
    }

    func readerIfOpen(_ request: ReadRequest, for target: PlayTarget) throws -> (any ByteReader)? {
        // Whether it's to be rearranged has to be looked up first.
        isWanted(for: target) ? nil : try base.readerIfOpen(request, for: target)
    }

    func reader(_ request: ReadRequest, for target: PlayTarget) async throws -> any ByteReader {
        guard isWanted(for: target) else { return try await base.reader(request, for: target) }
        var front = request
        front.range = .closed(0, through: FastStartPlans.frontLength - 1)
        let first = try await base.reader(front, for: target)
        defer { first.cancel() }
        guard first is ReadSession, let length = first.head.length, Self.mayBeMP4(first.head.contentType),
            let layout = try await plans.layout(of: front, in: store, head: first.head, length: length)
        else { return try await base.reader(request, for: target) }
        guard let range = request.range.resolved(in: layout.length) else {
            throw CacheError(
                .rangeNotSatisfiable, "\(request.url) has \(layout.length) bytes; the range lies outside",
                completeLength: layout.length)
        }
        return LayoutReader(
            layout, of: request, in: store, original: first.head, range: range, hold: try plans.hold(layout))
    }

    /// Whether the view was asked for, or is made unasked of what is called like such a file.
    private func isWanted(for target: PlayTarget) -> Bool {
        if target.options.fastStart { return true }
        guard isAlwaysOn else { return false }
        return ["mp4", "m4v", "m4a", "m4b", "mov", "qt", "3gp", "3g2"].contains(target.url.pathExtension.lowercased())
    }

    private static func mayBeMP4(_ contentType: String) -> Bool {
        let type = MediaType.essence(contentType) ?? ""
        return ["mp4", "quicktime", "3gp", "m4a", "m4v", "octet-stream"].contains { type.contains($0) }
    }
}
