import MediaCache
import MediaCacheAPI
import MediaLibrary

/// A window of a channel to export.
struct ChannelWindow: Sendable {
    let name: ChannelName
    /// The window in nanoseconds since 1970.
    let span: Range<Int64>
    private let client: APIClient

    /// The maximum time to wait until a window that has just ended is recorded. The live edge is a few segments behind.
    private static let edgeTimeout = Duration.seconds(60)

    /// Looks up the window that the arguments specify, and waits until it's recorded. Returns nil if the asset isn't a
    /// channel.
    ///
    /// - Parameters:
    ///   - from: The start; nil for the start of the recording.
    ///   - to: The end; nil for the live edge.
    init?(_ asset: AssetArgument, from: String?, to: String?, _ client: APIClient) async throws {
        guard let name = Self.name(of: asset),
            var record = try await Self.channel(name, from: from, to: to, client)
        else { return nil }
        let now = record.now.map { $0 * 1_000_000 } ?? MomentArgument.now
        let start = try from.map { try MomentArgument(parsing: $0).nanoseconds(now: now) }
        let end = try to.map { try MomentArgument(parsing: $0).nanoseconds(now: now) }
        if let end { record = try await Self.waitForEdge(end, record, name, now, client) }
        guard !record.recordedRanges.isEmpty, let edge = record.edge else {
            throw CommandFailure(.failed, "no part of \(name) has been recorded yet")
        }
        self.client = client
        self.name = name
        let begin = WindowContent.start(
            start, isRelative: from?.hasPrefix("-") ?? false, end: end,
            recorded: record.recordedRanges.map { $0.from..<$0.to })
        if let start, begin != start {
            StandardStreams.printError(
                "mediacache: note: the recording of \(name) doesn't go back that far; the window begins at "
                    + "\(MomentText.exact(begin / 1_000_000))")
        }
        let last = min(end ?? .max, edge * 1_000_000)
        // The server rejects a window after the edge, and reports the recorded ranges.
        guard begin < last || begin >= edge * 1_000_000 else {
            throw CommandFailure(
                .usage, "--to must be later than --from, which is the start of the recording by default")
        }
        span = begin..<max(last, begin + 1)
    }

    /// Returns the channel that arguments refer to; nil if they refer to an asset.
    private static func channel(
        _ name: ChannelName, from: String?, to: String?, _ client: APIClient
    ) async throws -> ChannelRecord? {
        if [from, to].contains(where: { $0.map { !isPosition($0) } ?? false }) {
            return try await client.channel(name)
        }
        guard let record = try await RecordSession.find(name, client) else { return nil }
        // The asset of an ended recording has positions, like a film.
        let hasPositions = from != nil || to != nil
        let assets = try await client.assets().filter { $0.title == name.rawValue }
        return assets.contains { hasPositions || $0.url != record.url } ? nil : record
    }

    /// Returns whether a text is a position in a film. Otherwise it's a point in time.
    static func isPosition(_ text: String) -> Bool { (try? TimeArgument.parse(text)) != nil }

    private static func name(of asset: AssetArgument) -> ChannelName? {
        switch asset {
        case .asset(let text): ChannelName(rawValue: text)
        case .id(let id): ChannelName(rawValue: "\(id)")
        case .url: nil
        }
    }

    /// Waits until a recording reaches a time in the past.
    private static func waitForEdge(
        _ end: Int64, _ record: ChannelRecord, _ name: ChannelName, _ now: Int64, _ client: APIClient
    ) async throws -> ChannelRecord {
        var record = record
        let deadline = ContinuousClock.now + edgeTimeout
        while record.isRunning, (record.edge ?? 0) * 1_000_000 < end {
            guard end <= now, ContinuousClock.now < deadline else {
                let edge =
                    record.edge.map { "the recording ends at \(MomentText.exact($0))" } ?? "nothing is recorded yet"
                let reason = record.reason.map { " (\($0))" } ?? ""
                throw CommandFailure(
                    .failed,
                    "the window of \(name) ends at \(MomentText.exact(end / 1_000_000)), but \(edge)\(reason); wait until "
                        + "it's recorded, or set --to to an earlier time")
            }
            try await Task.sleep(for: .milliseconds(250))
            record = try await client.channel(name)
        }
        return record
    }

    /// The window in milliseconds since 1970, at least one millisecond long.
    var milliseconds: Range<Int64> {
        span.lowerBound / 1_000_000..<max(span.upperBound, span.lowerBound + 1_000_000) / 1_000_000
    }

    private var url: String {
        client.liveURL(of: name, from: milliseconds.lowerBound, to: milliseconds.upperBound)
    }

    var input: MediaInput {
        get throws { .url(try ResourceURL(url)) }
    }

    /// - Throws: ``CommandFailure`` if no part of the window is recorded; errors from the gateway.
    func content(_ choice: StreamChoice) async throws -> WindowContent {
        let gateway = APIGateway(client: client, cachedOnly: true)
        let content = try await WindowContent.read(url, span: span, choice: choice, gateway: gateway)
        if let content { return content }
        let (from, to) = (MomentText.exact(milliseconds.lowerBound), MomentText.exact(milliseconds.upperBound))
        throw CommandFailure(.failed, "no part of \(name) from \(from) to \(to) was recorded")
    }

    /// Checks that a window has no gaps.
    func requireComplete(_ content: WindowContent) throws {
        guard let first = content.gaps.first else { return }
        let seconds = SecondsText.describe(content.gaps.reduce(0) { $0 + $1.duration })
        let count = content.gaps.count
        throw CommandFailure(
            .failed,
            "the window of \(name) isn't complete: \(count.counted("segment")) \(count == 1 ? "is" : "are") missing, "
                + "\(seconds) in total, the first at \(first.name); use --gaps to leave gaps")
    }
}
