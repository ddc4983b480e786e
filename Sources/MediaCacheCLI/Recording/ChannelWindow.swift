import Foundation
import HLS
import MediaCache
import MediaCacheAPI
import MediaContainers
import MediaLibrary

/// A window of a channel that is to become a file.
struct ChannelWindow: Sendable {
    /// The channel.
    let name: ChannelName
    /// When it begins, in nanoseconds since 1970.
    let from: Int64
    /// When it ends, likewise.
    let to: Int64
    private let client: APIClient

    /// How long the live edge is waited for where the window ends a moment ago: what is said of "now" is there a few
    /// segments later.
    private static let patience = Duration.seconds(60)

    /// The window that is meant; nil where the argument names something else.
    ///
    /// - Parameters:
    ///   - from: when it begins; nil is the beginning of what is kept.
    ///   - to: when it ends; nil is the live edge.
    /// - Throws: ``CommandFailure`` where it isn't over yet, and what the cache's owner answers.
    init?(_ asset: AssetArgument, from: String?, to: String?, _ opening: InputOpening) throws {
        guard let client = opening.connection?.client, let name = Self.name(of: asset) else { return nil }
        let saysMoments = [from, to].contains { $0.map { !Self.isPlaceInFilm($0) } ?? false }
        let record = try opening.control.wait { () -> ChannelRecord? in
            if saysMoments { return try await client.channel(name) }
            guard let record = try await RecordSession.find(name, client) else { return nil }
            // A recording that has ended is an asset too, and that has places, as a film has.
            let hasPlaces = from != nil || to != nil
            let assets = try await client.assets().filter { $0.title == name.rawValue }
            return assets.contains { hasPlaces || $0.url != record.url } ? nil : record
        }
        guard var record else { return nil }
        let now = record.now.map { $0 * 1_000_000 } ?? MomentArgument.now
        let start = try from.map { try MomentArgument(parsing: $0).nanoseconds(now: now) }
        let end = try to.map { try MomentArgument(parsing: $0).nanoseconds(now: now) }
        if let end {
            record = try opening.control.wait { [record] in try await Self.reach(end, record, name, now, client) }
        }
        guard !record.kept.isEmpty, let edge = record.edge else {
            throw CommandFailure(.failed, "nothing of \(name) is kept yet")
        }
        self.client = client
        self.name = name
        let begin = Self.begin(
            start, isRelative: from?.hasPrefix("-") ?? false, end, record.kept.map { $0.from..<$0.to })
        if let start, begin != start {
            StandardStreams.printError(
                "mediacache: note: \(name) isn't kept that far back; the window begins at "
                    + "\(MomentText.exact(begin / 1_000_000))")
        }
        self.from = begin
        self.to = min(end ?? .max, edge * 1_000_000)
        // What begins behind the edge is the server's to refuse, and it says what is kept.
        guard self.from < self.to || self.from >= edge * 1_000_000 else {
            throw CommandFailure(.usage, "--to has to be later than --from")
        }
    }

    /// When a window begins, in nanoseconds since 1970. “The last hour” is what there is of it; a moment that somebody named
    /// is taken by its word, and the server says what is kept in place of it.
    ///
    /// - Parameters:
    ///   - start: when it's to begin; nil is the beginning of what is kept.
    ///   - isRelative: whether that was said as so long ago.
    ///   - end: when it's to end; nil is the live edge.
    ///   - kept: what is kept, in milliseconds since 1970, in order; not empty.
    static func begin(_ start: Int64?, isRelative: Bool, _ end: Int64?, _ kept: [Range<Int64>]) -> Int64 {
        guard let start else { return (kept.first?.lowerBound ?? 0) * 1_000_000 }
        guard isRelative, let next = kept.first(where: { $0.upperBound > start / 1_000_000 })?.lowerBound,
            next * 1_000_000 > start, end.map({ next * 1_000_000 < $0 }) ?? true
        else { return start }
        return next * 1_000_000
    }

    /// Whether a text says how far into a film it is; else it's a moment.
    static func isPlaceInFilm(_ text: String) -> Bool { (try? TimeArgument.parse(text)) != nil }

    /// What a channel's name would be.
    private static func name(of asset: AssetArgument) -> ChannelName? {
        switch asset {
        case .asset(let text): ChannelName(rawValue: text)
        case .id(let id): ChannelName(rawValue: "\(id)")
        case .url: nil
        }
    }

    /// Waits until a recording reaches a moment that is over.
    private static func reach(
        _ end: Int64, _ record: ChannelRecord, _ name: ChannelName, _ now: Int64, _ client: APIClient
    ) async throws -> ChannelRecord {
        var record = record
        let deadline = ContinuousClock.now + patience
        while record.isRunning, (record.edge ?? 0) * 1_000_000 < end {
            guard end <= now, ContinuousClock.now < deadline else {
                let edge = record.edge.map { "recorded is up to \(MomentText.exact($0))" } ?? "nothing is recorded yet"
                let why = record.reason.map { " (\($0))" } ?? ""
                throw CommandFailure(
                    .failed, "the window of \(name) ends at \(MomentText.exact(end / 1_000_000)), and \(edge)\(why)")
            }
            try await Task.sleep(for: .milliseconds(250))
            record = try await client.channel(name)
        }
        return record
    }

    // MARK: - Its playlists

    /// What is read.
    ///
    /// - Throws: ``CommandFailure``.
    var input: InputArgument {
        get throws { .url(try ResourceURL(url)) }
    }

    private var url: String {
        client.liveURL(of: name, from: milliseconds.lowerBound, to: milliseconds.upperBound)
    }

    /// When it is, in milliseconds since 1970.
    var milliseconds: Range<Int64> { from / 1_000_000..<max(to, from + 1_000_000) / 1_000_000 }

    /// What the window is of the segments that its playlists name: those begin before it, and end behind it.
    struct Content: Sendable {
        /// Where the window lies in them.
        var stretch: Stretch
        /// What of it was lost.
        var gaps: [RemuxResult.Missing] = []
    }

    /// Looks at its playlists.
    ///
    /// - Parameter choice: Selects the variant stream and renditions, as the export does.
    /// - Throws: ``CommandFailure`` with what the cache's owner says where the window isn't kept.
    func content(_ resources: InputResources, _ choice: StreamChoice) throws -> Content {
        guard case .multivariant = try playlist(at: url, resources) else {
            throw CommandFailure(.failed, "\(url) isn't the entry of a channel")
        }
        let plan = try StreamPlan(playlist: url, choice: choice, resources: resources)
        let playlists = try plan.locations.compactMap { location -> MediaPlaylist? in
            guard case .media(let media) = try playlist(at: location, resources) else { return nil }
            return media
        }
        guard let place = WindowPlace(of: playlists, from: from, to: to) else {
            throw CommandFailure(.failed, "nothing of that window of \(name) is kept")
        }
        return Content(
            stretch: Stretch(from: place.from, to: place.to),
            gaps: place.gaps.map { gap in
                RemuxResult.Missing(
                    name: MomentText.exact(gap.wall / 1_000_000), start: gap.start, duration: gap.duration)
            })
    }

    private func playlist(at url: String, _ resources: InputResources) throws -> Playlist {
        do throws(ContainerError) {
            let (bytes, location) = try resources.contents(of: url, limit: PlaylistParser.Limits().playlistLength)
            guard let parsed = try? PlaylistParser(context: PlaylistContext(playlistURL: location)).parse(bytes) else {
                throw ContainerError(.malformed, "\(url) can't be read as a playlist")
            }
            return parsed.playlist
        } catch {
            // What the server says is better than that it couldn't be read.
            if let problem = error.cause as? Problem { throw problem }
            throw error
        }
    }
}

extension ChannelWindow.Content {
    /// - Throws: ``CommandFailure``, saying what was lost.
    func requireWhole(of name: ChannelName) throws {
        guard let first = gaps.first else { return }
        let seconds = SecondsText.describe(gaps.reduce(0) { $0 + $1.duration })
        let what = gaps.count == 1 ? "1 segment of it was" : "\(gaps.count) segments of it were"
        throw CommandFailure(
            .failed,
            "not all of that window of \(name) is kept: \(what) lost, \(seconds) in all, the first at "
                + "\(first.name); --gaps leaves gaps")
    }
}
