internal import Foundation
import HLS
internal import MediaCache

extension Recording {
    /// The default length of a live window, in nanoseconds: one minute.
    private static let standardWindow: Int64 = 60_000_000_000
    /// The maximum lag of the live edge behind the stream's current time, in nanoseconds, up to which a window that
    /// starts after the edge is accepted. Such a window begins at the edge.
    private static let newest: Int64 = 60_000_000_000
    /// The minimum length of a live window in target durations (RFC 8216bis §6.2.2).
    private static let minimumTargets: Int64 = 3
    /// The resolution of dates in playlists and the API, in nanoseconds: one millisecond.
    static let resolution: Int64 = 1_000_000
    /// The time without new segments after which no more segments are expected for past windows of a running recording.
    /// After a longer outage, an origin rarely lists segments that belong to them.
    private static let maximumSilence = Duration.seconds(600)

    /// Returns the multivariant playlist of a window, and the window's start.
    ///
    /// - Parameter isStrict: Whether the start of the window must be recorded. Otherwise, the recorded part is served.
    /// - Throws: ``WindowOutOfRangeError``.
    package func entry(_ request: WindowRequest, isStrict: Bool = false) async throws -> WindowEntry {
        guard !channel.entry.isEmpty else { throw outside("nothing has been recorded yet") }
        let name: String
        var begins: Int64?
        var folders = Set(tracks.indices.filter { tracks[$0].timeline.edgeTime != nil }.map { tracks[$0].folder })
        switch request {
        case .live(let window):
            guard edge != nil else { throw outside("nothing has been recorded yet") }
            folders.subtract(silentTracks)
            folders.subtract(channel.tracks.filter { $0.namedUntil != nil }.map(\.folder))
            name = window.map { "index.m3u8?window=\(Self.seconds($0))" } ?? "index.m3u8"
        case .delayed(let delay):
            guard let edge else { throw outside("nothing has been recorded yet") }
            let span = span(delayedBy: delay, edge: edge)
            folders = Set(timelines.filter { $0.has((from: span.lowerBound, to: span.upperBound)) }.map(\.track))
            guard !folders.isEmpty else { throw outside("nothing is recorded at that time") }
            name = "timeshift_rel-\(Self.seconds(delay)).m3u8"
        case .span(let from, let to):
            let span = try granted(from, to, isStrict: isStrict)
            begins = span.from
            name = WindowRequest.name(from: span.from, to: span.to)
            let isOver = isOver(upTo: span.to)
            folders = Set(timelines.filter { $0.has(span, isOver: isOver) }.map(\.track))
        case .all:
            let span = try everything()
            begins = span.lowerBound
            name = WindowRequest.name(from: span.lowerBound, to: span.upperBound)
            folders.formUnion(
                timelines.filter { $0.has((from: span.lowerBound, to: span.upperBound), isOver: true) }.map(\.track))
        }
        return WindowEntry(text: ChannelEntry.text(channel.entry, playlist: name, having: folders), begins: begins)
    }

    /// Returns a window of one track as a media playlist.
    ///
    /// - Parameters:
    ///   - isGranted: Whether the window comes from an entry that was served before, so that its start isn't checked.
    ///   - isStrict: Whether the start of the window must be recorded.
    /// - Throws: ``WindowOutOfRangeError``; `CacheError`: `notFound` if there is no such track; `storage`.
    package func playlist(
        _ request: WindowRequest, track: String, isGranted: Bool = false, isStrict: Bool = false
    ) async throws -> [UInt8] {
        guard let timeline = timelines.first(where: { $0.track == track }) else {
            let tracks = timelines.map(\.track).joined(separator: ", ")
            throw CacheError(.notFound, "the channel \(channel.name) has no track “\(track)”; its tracks are \(tracks)")
        }
        let window = try served(
            request, edge: timeline.edgeTime, of: timeline, isGranted: isGranted, isStrict: isStrict)
        // Read before the timeline, so that the playlist isn't cached as that of a later revision.
        let revision = timeline.revision
        if let bytes = windowPlaylists[window, of: track, revision] { return bytes }
        guard let bytes = try await Self.bytes(of: timeline, window) else {
            throw outside("nothing is recorded at that time")
        }
        windowPlaylists[window, of: track, revision] = bytes
        return bytes
    }

    /// Returns the I-frame playlist of a window for the last track with I-frames, usually the one with the lowest
    /// bandwidth.
    ///
    /// - Throws: ``WindowOutOfRangeError``; `CacheError`: `notFound` if no I-frames are available; `storage`.
    package func iFramePlaylist(_ request: WindowRequest, isStrict: Bool = false) async throws -> [UInt8] {
        let edge = edge
        for timeline in timelines.reversed() {
            let window = try served(request, edge: edge, of: timeline, isGranted: false, isStrict: isStrict)
            let range = try await timeline.range(from: window.from, to: window.to, isOver: window.isOver)
            let playlist = IFramePlaylist(range: range, prefix: timeline.track + "/", isOver: window.isOver)
            if !playlist.isEmpty { return playlist.bytes }
        }
        throw CacheError(
            .notFound,
            "\(channel.name) has no thumbnails for that time; they require unencrypted MPEG-2 transport streams")
    }

    /// Returns the range of a track that is served for a request now.
    ///
    /// - Parameter edge: The end of the available segments, in nanoseconds since 1970; nil if nothing is recorded.
    private func served(
        _ request: WindowRequest, edge: Int64?, of timeline: Timeline, isGranted: Bool, isStrict: Bool
    ) throws -> ServedWindow {
        func requiredEdge() throws -> Int64 {
            guard let edge else { throw outside("no segment of \(timeline.track) has been recorded yet") }
            return edge
        }
        switch request {
        case .live(let window):
            let edge = try requiredEdge()
            let target = Int64(min(max(1, timeline.last?.targetDuration ?? 1), 3600)) * 1_000_000_000
            let length = max(window ?? Self.standardWindow, target * Self.minimumTargets)
            return ServedWindow(from: edge.clampedSum(-length), to: edge, isOver: channel.hasEnded)
        case .delayed(let delay):
            let edge = try requiredEdge()
            let span = span(delayedBy: delay, edge: edge)
            return ServedWindow(
                from: span.lowerBound, to: span.upperBound, isOver: channel.hasEnded && span.upperBound >= edge,
                isDelayed: true)
        case .all:
            let span = try everything()
            let all = WindowRequest.span(from: span.lowerBound, to: span.upperBound)
            return try served(all, edge: edge, of: timeline, isGranted: true, isStrict: isStrict)
        case .span(let from, let to):
            let span = isGranted ? (from: from, to: to) : try granted(from, to, isStrict: isStrict)
            // A single track may reach the end of the window before the others do.
            let isOver = try isOver(upTo: span.to) || span.to.map { try requiredEdge() >= $0 } ?? false
            if !isOver { _ = try requiredEdge() }
            return ServedWindow(
                from: span.from, to: span.to ?? .max, begins: span.from, isOver: isOver,
                keepsAll: channel.retention == Retention())
        }
    }

    /// Returns ``isOver(at:)``; without an end, whether the recording has ended.
    private func isOver(upTo end: Int64?) -> Bool { end.map(isOver(at:)) ?? channel.hasEnded }

    /// Returns whether no more segments will be added to a window with the given end, in nanoseconds since 1970. If so,
    /// segments that are still awaited count as gaps.
    func isOver(at end: Int64) -> Bool {
        if channel.hasEnded { return true }
        // Segments that only wait for keys or media initialization sections will be added.
        for track in tracks where track.awaited.waiting > 0 {
            if track.awaited.contains(where: { $0.media != nil && $0.row.start < end }) { return false }
        }
        if let edge, edge.clampedSum(Self.resolution - 1) >= end { return true }
        if isRunning || channel.isWanted, monotonic - (tracks.map(\.renewed).max() ?? monotonic) < Self.maximumSilence {
            return false
        }
        // No segments arrive any more, so the window is over once its end has passed by the stream's clock.
        return end <= streamTime
    }

    /// Returns the time range of everything recorded so far, in nanoseconds since 1970. If no more segments will be
    /// added, awaited segments are gaps, and the range includes the segments after them.
    private func everything() throws -> Range<Int64> {
        let all = coveredRanges(isOver: true)
        if let first = all.first, let last = all.last, isOver(at: last.upperBound) {
            return first.lowerBound..<last.upperBound
        }
        guard let first = coveredRanges().first, let edge, first.lowerBound < edge else {
            throw outside("nothing has been recorded yet")
        }
        return first.lowerBound..<edge
    }

    /// Returns the bytes of a playlist. Runs outside the actor, because a playlist may be long.
    @concurrent private static func bytes(of timeline: Timeline, _ window: ServedWindow) async throws -> [UInt8]? {
        var range = try await timeline.range(from: window.from, to: window.to, isOver: window.isOver)
        if window.isDelayed { range.segments.removeAll { $0.end > window.to } }
        guard let first = range.segments.first else { return nil }
        return WindowPlaylist(
            range: range, begins: window.begins, isOver: window.isOver,
            isGrowing: window.keepsAll && first.start <= window.from,
            targetDuration: window.isOver ? 1 : timeline.targetDuration
        ).bytes
    }

    /// Returns the window that ends `delay` before the stream's time. It begins a minute before its end or before
    /// `edge`, whichever is earlier.
    private func span(delayedBy delay: Int64, edge: Int64) -> Range<Int64> {
        let end = streamTime.clampedSum(-delay)
        return min(end, edge).clampedSum(-Self.standardWindow)..<end
    }

    /// Returns the start of the recorded part of a requested window, in nanoseconds since 1970.
    ///
    /// - Throws: ``WindowOutOfRangeError``.
    package func windowStart(from: Int64, to: Int64, isStrict: Bool = false) throws -> Int64 {
        try granted(from, to, isStrict: isStrict).from
    }

    /// Returns the recorded part of a requested window.
    private func granted(_ from: Int64, _ to: Int64?, isStrict: Bool) throws -> (from: Int64, to: Int64?) {
        let ranges = coveredRanges(isOver: isOver(upTo: to))
        if ranges.contains(where: { $0.contains(from) }) {
            let recorded = recordedRanges(isOver: isOver(upTo: to))
            let isLost = !recorded.contains { $0.upperBound > from && $0.lowerBound < to ?? .max }
            // Later segments of a window that isn't over may still be recorded.
            guard isLost, isOver(upTo: to) else { return (from, to) }
            throw outside("nothing is recorded at that time")
        }
        // Dates in playlists are truncated to milliseconds.
        let close = isStrict ? from.clampedSum(Self.resolution) : to ?? .max
        if let overlap = ranges.first(where: { $0.upperBound > from && $0.lowerBound < close }) {
            return (max(from, overlap.lowerBound), to)
        }
        guard let edge else { throw outside("nothing has been recorded yet") }
        // The edge lags behind by segments that are still being fetched.
        let streamTime = streamTime
        if isRunning, from >= edge, from <= max(streamTime, edge) + 1_000_000_000, streamTime - edge < Self.newest {
            return (edge - 1, to)
        }
        throw outside(
            from >= edge
                ? "that time hasn't been recorded yet"
                : isStrict ? "the window begins outside the recorded time" : "nothing is recorded at that time")
    }

    private static func seconds(_ nanoseconds: Int64) -> String { DecimalValue(nanoseconds: nanoseconds).description }

    /// Returns an error that includes the recorded time ranges.
    package func outside(_ what: String) -> WindowOutOfRangeError {
        WindowOutOfRangeError(channel: channel.name, what: what, recordedRanges: recordedRanges())
    }

    /// Returns the time ranges recorded on any track, without gaps common to all tracks.
    ///
    /// - Parameter isOver: Whether the ranges include awaited segments and those after them.
    package nonisolated func recordedRanges(isOver: Bool = false) -> [Range<Int64>] {
        Self.union(timelines.map { $0.recordedRanges(isOver: isOver) })
    }

    /// Returns the time ranges in which any track has segments, including gaps.
    ///
    /// - Parameter isOver: Whether awaited segments count as gaps, so that later segments are included.
    package nonisolated func coveredRanges(isOver: Bool = false) -> [Range<Int64>] {
        Self.union(timelines.map { $0.coveredRanges(isOver: isOver) })
    }

    private static func union(_ ranges: [[Range<Int64>]]) -> [Range<Int64>] {
        // Usually, tracks have a single range, so sorting takes little time.
        ranges.joined().sorted { $0.lowerBound < $1.lowerBound }
            .reduce(into: []) { $0.join($1.lowerBound, $1.upperBound) }
    }

    /// Returns the recorded time ranges of a window, for each track. They change when segments are added or removed.
    package nonisolated func recordedRanges(from: Int64, to: Int64) -> [[Range<Int64>]] {
        timelines.map { timeline in
            timeline.recordedRanges().map { $0.clamped(to: from..<to) }.filter { !$0.isEmpty }
        }
    }

    /// Returns the contents of a window that is over.
    ///
    /// - Throws: ``WindowOutOfRangeError``, also if the window isn't over; `CacheError` with `storage`.
    package func finished(from: Int64, to: Int64, isStrict: Bool = false) async throws -> RecordedWindow {
        guard isOver(at: to) else {
            throw outside(edge == nil ? "nothing has been recorded yet" : "the window isn't over yet")
        }
        return try await assembled(from: from, to: to, isStrict: isStrict)
    }

    /// Returns the contents of a window as those of an asset, for export or pinning.
    ///
    /// - Throws: ``WindowOutOfRangeError``; `CacheError` with `storage`.
    func assembled(from: Int64, to: Int64, isStrict: Bool = false) async throws -> RecordedWindow {
        let span = try granted(from, to, isStrict: isStrict)
        let isOver = isOver(at: to)
        var bytes: Int64 = 0
        var contents = AssetContents(parts: [])
        contents.playlists.append(.init(name: AssetContents.entryName, url: channel.url, text: ""))
        var folders: Set<String> = []
        var listed: Set<String> = []
        var spans: [String: Range<Int64>] = [:]
        var gaps: [String: Int] = [:]
        for timeline in timelines {
            let range = try await timeline.range(from: span.from, to: to, isOver: isOver)
            guard let first = range.segments.first, let last = range.segments.last else { continue }
            let track = timeline.track
            folders.insert(track)
            if !Self.isText(track) {
                gaps[track] = range.segments.count { $0.state == .gap }
                spans[track] = first.start..<last.end
            }
            bytes += range.segments.reduce(0) { $0 + ($1.state == .stored ? $1.length : 0) }
            contents.playlists.append(
                .init(
                    name: "\(track)/\(AssetContents.entryName)",
                    url: channel.tracks.first { $0.folder == track }?.url ?? channel.url,
                    text: String(
                        decoding: WindowPlaylist(range: range, begins: span.from, isOver: true).bytes, as: UTF8.self)))
            for row in range.segments where row.state == .stored {
                for companion in row.conditions.companions where listed.insert("\(track)/\(companion.name)").inserted {
                    contents.parts.append(part(companion, row, track: track))
                }
                contents.parts.append(part(row, track: track, origin: first.start))
            }
            contents.duration = max(contents.duration, Double(last.end - first.start) / 1e9)
        }
        guard !folders.isEmpty else { throw outside("nothing is recorded at that time") }
        let missing = missingEnds(of: spans, in: span.from..<max(span.from, to))
        gaps.merge(missing, uniquingKeysWith: +)
        contents.playlists[0].text = ChannelEntry.text(channel.entry, playlist: "index.m3u8", having: folders)
        return RecordedWindow(
            begins: span.from, contents: contents, gapsByTrack: gaps,
            missingTracks: timelines.map(\.track).filter { missing[$0] != nil && spans[$0] == nil },
            audioFoldersByVariant: ChannelEntry.audioFoldersByVariant(in: channel.entry), bytes: bytes)
    }

    /// Returns the number of beginnings and ends of each track that are missing in a window where another track has
    /// segments, by folder. A track without any segments counts as one.
    private func missingEnds(of spans: [String: Range<Int64>], in window: Range<Int64>) -> [String: Int] {
        let first = max(window.lowerBound, spans.values.map(\.lowerBound).min() ?? window.lowerBound)
        let end = min(window.upperBound, spans.values.map(\.upperBound).max() ?? window.upperBound)
        guard first < end else { return [:] }
        var missing: [String: Int] = [:]
        for timeline in timelines {
            guard let expected = expectedTime(of: timeline)?.clamped(to: first..<end), !expected.isEmpty else {
                continue
            }
            let tolerance = Int64(min(timeline.targetDuration, 3600)) * 1_000_000_000
            var count = 0
            if let span = spans[timeline.track] {
                if span.lowerBound > expected.lowerBound.clampedSum(tolerance) { count += 1 }
                if span.upperBound < expected.upperBound.clampedSum(-tolerance) { count += 1 }
            } else if expected == first..<end || expected.upperBound > expected.lowerBound.clampedSum(tolerance) {
                count = 1
            }
            if count > 0 { missing[timeline.track] = count }
        }
        return missing
    }

    /// The maximum time between the last segment of a removed track and the first playlist without it, in nanoseconds.
    private static let removalDelay: Int64 = 60_000_000_000

    /// Returns the time range in which a track was part of the stream, in nanoseconds since 1970; nil if there is none,
    /// and for subtitles, which no window requires. The range begins with the track's first segment, or when the stream
    /// first listed the track, whichever is earlier.
    func expectedTime(of timeline: Timeline) -> Range<Int64>? {
        guard !Self.isText(timeline.track) else { return nil }
        let track = channel.tracks.first { $0.folder == timeline.track }
        let since = track?.namedSince?.nanosecondsSinceEpoch
        let begin = timeline.start.map { min($0, since ?? .max) } ?? since ?? .min
        let last = timeline.last?.end ?? .min
        var end = Int64.max
        if let until = track?.namedUntil?.nanosecondsSinceEpoch {
            end = until.clampedSum(-Self.removalDelay) <= last ? last : until
        } else if !ChannelEntry.folders(in: channel.entry).contains(timeline.track) {
            end = last
        }
        return begin < end ? begin..<end : nil
    }

    private static func isText(_ track: String) -> Bool { track.hasPrefix("text-") }
}

/// The entry point of a window for players.
package struct WindowEntry: Sendable {
    /// The multivariant playlist.
    package var text: String
    /// The start of the window in nanoseconds since 1970; nil for a sliding window.
    package var begins: Int64?
}

extension Timeline {
    /// Returns whether the track has segments in a window, including gaps.
    func has(_ span: (from: Int64, to: Int64?), isOver: Bool = false) -> Bool {
        coveredRanges(isOver: isOver).contains { $0.upperBound > span.from && $0.lowerBound < span.to ?? .max }
    }
}
