internal import Foundation
internal import MediaCache
public import MediaLibrary

/// A window of a channel's recording, as the input of a `RemuxJob` or the source of a `BundleExport`.
public struct ChannelWindow: Sendable {
    /// The name of the channel.
    public let name: ChannelName
    /// The window in nanoseconds since 1970.
    public let span: Range<Int64>
    /// Whether the window begins later than requested, because the recording doesn't go back that far.
    public let startsLate: Bool
    fileprivate let client: APIClient

    /// The maximum time to wait until a window that has just ended is recorded. The live edge is a few segments behind.
    private static let edgeTimeout = Duration.seconds(60)

    /// Resolves a window of a channel, and waits up to a minute until a window that has just ended is recorded.
    ///
    /// - Parameters:
    ///   - channel: The record of the channel.
    ///   - from: The start in a form of window URLs, such as `2026-01-31T20:15:00Z` or `-600` (seconds ago), or the
    ///     last time the local clock showed a time such as `20:15`; nil for the start of the recording.
    ///   - to: The end in such a form; nil for the live edge. A time such as `20:15` is the first one after the start.
    /// - Throws: `MediaJobError` if a time is invalid, no part of the channel has been recorded, the recording doesn't
    ///   reach the end, or the end precedes the start; ``Problem``, ``APIClientError`` or `CancellationError`.
    public init(of channel: ChannelRecord, from: String?, to: String?, client: APIClient) async throws {
        guard let name = ChannelName(rawValue: channel.name) else {
            throw APIClientError.unexpectedResponse(
                "GET /api/v1/channels: “\(channel.name)” isn't a channel's name", address: client.address, cause: nil)
        }
        let now = channel.now.map { $0 * 1_000_000 } ?? Date().nanosecondsSinceEpoch
        let start = try from.map { text in
            try ClockTime.start(text, now: now) ?? Self.nanoseconds(text, "the start", now, channel)
        }
        let end = try to.map { text in
            try ClockTime.end(text, start: start, now: now) ?? Self.nanoseconds(text, "the end", now, channel)
        }
        var record = channel
        if let end { record = try await Self.waitForEdge(end, channel, name, now, client) }
        guard !record.recordedRanges.isEmpty, let edge = record.edge else {
            throw MediaJobError(.failed, "no part of \(name) has been recorded yet")
        }
        let begin = WindowContent.start(
            start, isRelative: from?.hasPrefix("-") ?? false, end: end,
            recorded: record.recordedRanges.map { $0.from..<$0.to })
        let last = min(end ?? .max, edge * 1_000_000)
        // The server rejects a window after the edge, and reports the recorded ranges.
        guard begin < last || begin >= edge * 1_000_000 else {
            throw MediaJobError(
                .invalidArgument,
                "the end of the window must be later than its start, which is the start of the recording by default")
        }
        self.client = client
        self.name = name
        span = begin..<max(last, begin + 1)
        startsLate = start.map { $0 != begin } ?? false
    }

    private static func nanoseconds(
        _ text: String, _ what: String, _ now: Int64, _ channel: ChannelRecord
    ) throws -> Int64 {
        do {
            return try WindowRequest.moment(text, what, now)
        } catch {
            let spans = channel.recordedRanges.suffix(3).map {
                "\(MomentText.exact($0.from)) to \(MomentText.exact($0.to))"
            }
            let recorded = spans.isEmpty ? "nothing is recorded yet" : "recorded: \(spans.joined(separator: ", "))"
            throw MediaJobError(.invalidArgument, "\(error.description), or a time of day such as 20:15; \(recorded)")
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
                throw MediaJobError(
                    .failed,
                    "the window of \(name) ends at \(MomentText.exact(end / 1_000_000)), but \(edge)\(reason); wait until "
                        + "it's recorded, or choose an earlier end")
            }
            try await Task.sleep(for: .milliseconds(250))
            record = try await client.channel(name)
        }
        return record
    }

    /// The window in milliseconds since 1970, at least one millisecond long.
    public var milliseconds: Range<Int64> {
        span.lowerBound / 1_000_000..<max(span.upperBound, span.lowerBound + 1_000_000) / 1_000_000
    }

    fileprivate var url: String {
        client.liveURL(of: name, from: milliseconds.lowerBound, to: milliseconds.upperBound)
    }

    /// Returns the position of the window in its segments, and its gaps, for a selection of its tracks.
    ///
    /// - Throws: `MediaJobError` if no part of the window is recorded; ``Problem``, ``APIClientError`` or
    ///   `CancellationError`.
    fileprivate func content(_ choice: StreamChoice) async throws -> WindowContent {
        let gateway = APIGateway(client: client, cachedOnly: true)
        let content = try await WindowContent.read(url, span: span, choice: choice, gateway: gateway)
        if let content { return content }
        let (from, to) = (MomentText.exact(milliseconds.lowerBound), MomentText.exact(milliseconds.upperBound))
        throw MediaJobError(.failed, "no part of \(name) from \(from) to \(to) was recorded")
    }
}

extension RemuxJob {
    /// Sets the input and the time range to a window of a channel, with all recorded audio unless a language is chosen.
    ///
    /// - Returns: The segments that weren't recorded.
    /// - Throws: `MediaJobError` if no part of the window is recorded, or with `missingParts` if it has gaps and
    ///   `leavesGaps` is false; ``Problem``, ``APIClientError`` or `CancellationError`.
    public mutating func setInput(_ window: ChannelWindow) async throws -> [RemuxResult.Missing] {
        // The recording contains only the audio that was selected for it.
        if choice.language == nil { choice.includesAllAudio = true }
        choice.prefersMostCompleteVariant = true
        let content = try await window.content(choice)
        if !leavesGaps, let first = content.gaps.first {
            let seconds = SecondsText.describe(content.gaps.reduce(0) { $0 + $1.duration })
            let count = content.gaps.count
            throw MediaJobError(
                .missingParts,
                "the window of \(window.name) isn't complete: \(count.counted("segment")) \(count == 1 ? "is" : "are") "
                    + "missing, \(seconds) in total, the first at \(first.name)")
        }
        inputs = [.url(try ResourceURL(window.url))]
        clip = content.clip
        return content.gaps
    }
}

extension APIClient {
    /// Returns the channel that a reference names; nil if it names an asset.
    ///
    /// The asset of an ended recording has the name and the URL of its channel. The channel takes precedence over this
    /// asset unless positions are requested, but never over another asset of that name.
    ///
    /// - Parameter withPositions: Whether positions in an asset are requested.
    public func channel(_ reference: AssetReference, withPositions: Bool) async throws -> ChannelRecord? {
        guard let name = reference.channelName, let record = try await channelIfFound(name) else { return nil }
        let assets = try await assets().filter { $0.title == name.rawValue }
        return assets.contains { withPositions || $0.url != record.url } ? nil : record
    }

    /// Returns the bundle of an asset as the source of a `BundleExport`.
    ///
    /// - Throws: See ``bundle(ofAsset:)``.
    public func bundleSource(ofAsset name: String) async throws -> BundleExport.Source {
        let record = try await bundle(ofAsset: name)
        return BundleExport.Source(record, baseURL: libraryURL(ofAsset: record.id))
    }

    /// Returns the bundle of a window as the source of a `BundleExport`.
    ///
    /// - Throws: See ``bundle(ofWindowOf:from:to:)``.
    public func bundleSource(of window: ChannelWindow) async throws -> BundleExport.Source {
        let span = window.milliseconds
        let record = try await bundle(ofWindowOf: window.name, from: span.lowerBound, to: span.upperBound)
        return BundleExport.Source(record, baseURL: liveURL(of: window.name))
    }
}

extension AssetReference {
    /// The name of a channel; nil if the reference can't be one.
    public var channelName: ChannelName? {
        switch self {
        case .asset(let text): ChannelName(rawValue: text)
        case .id(let id): ChannelName(rawValue: "\(id)")
        case .url: nil
        }
    }
}

extension BundleExport.Source {
    fileprivate init(_ record: BundleRecord, baseURL: String) {
        self.init(
            id: record.id, title: record.title, url: record.url, withCredentials: record.withCredentials,
            selection: record.selection, missingParts: record.holeCount, hasCover: record.hasCover,
            contents: record.contents, baseURL: baseURL)
    }
}
