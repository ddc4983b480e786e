internal import Foundation
import HLS
internal import MediaCache

/// Windows of a recording, as playlists.
extension Recording {
    /// What of a live edge players get where nobody says: a minute.
    private static let standardWindow: Int64 = 60_000_000_000
    /// How far the edge may be behind the present for a window to begin there that has nothing in it yet.
    private static let newest: Int64 = 60_000_000_000
    /// A live window is so many target durations long at least (RFC 8216bis §6.2.2).
    private static let leastTargets: Int64 = 3
    /// Playlists and the API give moments in whole milliseconds.
    static let resolution: Int64 = 1_000_000
    /// How long nothing may arrive while a channel is recorded until its windows are over whose end has passed: what an
    /// origin names after so long an outage rarely reaches back to them.
    private static let longestSilence = Duration.seconds(600)

    /// The multivariant playlist of a window, and when the window begins.
    ///
    /// - Parameter isStrict: whether a window has to begin where something is recorded; otherwise the recorded part of it is
    ///   served.
    /// - Throws: ``OutsideRecording`` where nothing of the window is recorded; `CacheError` with `storage`.
    package func entry(_ request: WindowRequest, isStrict: Bool = false) async throws -> WindowEntry {
        guard !channel.entry.isEmpty else { throw outside("nothing of it has been recorded yet") }
        let name: String
        var begins: Int64?
        var folders = Set(tracks.indices.filter { tracks[$0].timeline.edgeTime != nil }.map { tracks[$0].folder })
        switch request {
        case .live(let window):
            guard edge != nil else { throw outside("nothing of it has been recorded yet") }
            folders.subtract(silentTracks)
            name = window.map { "index.m3u8?window=\(Self.seconds($0))" } ?? "index.m3u8"
        case .delayed(let delay):
            guard let edge else { throw outside("nothing of it has been recorded yet") }
            let span = span(delayedBy: delay, edge: edge)
            folders = Set(timelines.filter { $0.has((from: span.lowerBound, to: span.upperBound)) }.map(\.track))
            guard !folders.isEmpty else { throw outside("nothing of that time is kept") }
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

    /// A window of one track as a media playlist.
    ///
    /// - Throws: as ``entry(_:)``; `CacheError` with `notFound` where there is no such track.
    package func playlist(
        _ request: WindowRequest, track: String, isGranted: Bool = false, isStrict: Bool = false
    ) async throws -> [UInt8] {
        guard let timeline = timelines.first(where: { $0.track == track }) else {
            let tracks = timelines.map(\.track).joined(separator: ", ")
            throw CacheError(.notFound, "the channel \(channel.name) has no track “\(track)”; it has \(tracks)")
        }
        let window = try served(
            request, edge: timeline.edgeTime, of: timeline, isGranted: isGranted, isStrict: isStrict)
        // Before it's read: what changes meanwhile is another window's.
        let revision = timeline.revision
        if let bytes = made[window, of: track, revision] { return bytes }
        guard let bytes = try await Self.bytes(of: timeline, window) else {
            throw outside("nothing of that time is kept")
        }
        made[window, of: track, revision] = bytes
        return bytes
    }

    /// The pictures of a window, of the last track that has any: that of the least bandwidth mostly.
    ///
    /// - Throws: as ``entry(_:)``; `CacheError` with `notFound` where its segments have none that can be told.
    package func pictures(_ request: WindowRequest, isStrict: Bool = false) async throws -> [UInt8] {
        let edge = edge
        for timeline in timelines.reversed() {
            let window = try served(request, edge: edge, of: timeline, isGranted: false, isStrict: isStrict)
            let stretch = try await timeline.stretch(from: window.from, to: window.to, isOver: window.isOver)
            let playlist = PicturePlaylist(stretch: stretch, prefix: timeline.track + "/", isOver: window.isOver)
            if !playlist.isEmpty { return playlist.bytes }
        }
        throw CacheError(
            .notFound, "\(channel.name) has no thumbnails of that time: they are had of transport streams in the clear")
    }

    /// What is served of a track for a request, at this moment.
    ///
    /// - Parameter edge: when what there is of the track ends; nil if nothing is there before the first awaited segment.
    /// - Throws: ``OutsideRecording``.
    private func served(
        _ request: WindowRequest, edge: Int64?, of timeline: Timeline, isGranted: Bool, isStrict: Bool
    ) throws -> ServedWindow {
        func requiredEdge() throws -> Int64 {
            guard let edge else { throw outside("nothing of \(timeline.track) has been recorded yet") }
            return edge
        }
        switch request {
        case .live(let window):
            let edge = try requiredEdge()
            let target = Int64(min(max(1, timeline.last?.targetDuration ?? 1), 3600)) * 1_000_000_000
            let length = max(window ?? Self.standardWindow, target * Self.leastTargets)
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
            // The track's own edge may have passed a window before that of all tracks does.
            let isOver = try isOver(upTo: span.to) || span.to.map { try requiredEdge() >= $0 } ?? false
            if !isOver { _ = try requiredEdge() }
            return ServedWindow(
                from: span.from, to: span.to ?? .max, begins: span.from, isOver: isOver,
                keepsAll: channel.retention == Retention())
        }
    }

    /// Whether nothing will be added to a window that ends at a moment, in nanoseconds since 1970; nil for one without an
    /// end.
    private func isOver(upTo end: Int64?) -> Bool { end.map(isOver(at:)) ?? channel.hasEnded }

    /// Whether nothing will be added to a window that ends at a moment, in nanoseconds since 1970. Its awaited segments are
    /// gaps then: of a channel that was stopped, of a silent track, or of an origin that has been away for long.
    func isOver(at end: Int64) -> Bool {
        if channel.hasEnded { return true }
        // Segments that wait for their keys alone are added when those are here.
        for index in tracks.indices where tracks[index].awaited.waiting > 0 {
            if tracks[index].awaited.contains(where: { $0.media != nil && $0.row.start < end }) { return false }
        }
        if let edge, edge.clampedSum(Self.resolution - 1) >= end { return true }
        if isRunning || channel.isWanted, monotonic - (tracks.map(\.renewed).max() ?? monotonic) < Self.longestSilence {
            return false
        }
        // Nothing arrives any more: it's over when its end has passed by the stream's clock.
        return end <= present
    }

    /// The time of everything that is recorded at this moment, in nanoseconds since 1970. Once a channel has stopped, that
    /// includes the segments behind awaited ones, which are gaps then.
    ///
    /// - Throws: ``OutsideRecording`` where nothing is recorded.
    private func everything() throws -> Range<Int64> {
        let all = kept(isOver: true)
        if let first = all.first, let last = all.last, isOver(at: last.upperBound) {
            return first.lowerBound..<last.upperBound
        }
        guard let first = kept().first, let edge, first.lowerBound < edge else {
            throw outside("nothing of it has been recorded yet")
        }
        return first.lowerBound..<edge
    }

    /// Away from what records, since it may be long.
    @concurrent private static func bytes(of timeline: Timeline, _ window: ServedWindow) async throws -> [UInt8]? {
        var stretch = try await timeline.stretch(from: window.from, to: window.to, isOver: window.isOver)
        if window.isDelayed { stretch.segments.removeAll { $0.end > window.to } }
        guard let first = stretch.segments.first else { return nil }
        return WindowPlaylist(
            stretch, begins: window.begins, isOver: window.isOver,
            isGrowing: window.keepsAll && first.start <= window.from,
            targetDuration: window.isOver ? 1 : timeline.targetDuration
        ).bytes
    }

    /// What players get who are so far behind the stream's present; the last of it, when the recording doesn't go on.
    private func span(delayedBy delay: Int64, edge: Int64) -> Range<Int64> {
        let end = present.clampedSum(-delay)
        return min(end, edge).clampedSum(-Self.standardWindow)..<end
    }

    /// The window that is served for what was asked for: the recorded part of it.
    ///
    /// - Parameter isStrict: whether it has to begin where something is recorded.
    /// - Throws: ``OutsideRecording``.
    private func granted(_ from: Int64, _ to: Int64?, isStrict: Bool) throws -> (from: Int64, to: Int64?) {
        let kept = kept(isOver: isOver(upTo: to))
        if kept.contains(where: { $0.contains(from) }) { return (from, to) }
        // A moment that a playlist gives is up to a millisecond before the one that it stands for.
        let close = isStrict ? from.clampedSum(Self.resolution) : to ?? .max
        if let overlap = kept.first(where: { $0.upperBound > from && $0.lowerBound < close }) {
            return (max(from, overlap.lowerBound), to)
        }
        guard let edge else { throw outside("nothing of it has been recorded yet") }
        // The edge is behind by what is under way.
        let present = present
        if isRunning, from >= edge, from <= max(present, edge) + 1_000_000_000, present - edge < Self.newest {
            return (edge - 1, to)
        }
        throw outside(
            from >= edge
                ? "it hasn't been recorded up to then"
                : isStrict ? "the window begins outside what is kept" : "nothing of that time is kept")
    }

    private static func seconds(_ nanoseconds: Int64) -> String { DecimalValue(nanoseconds: nanoseconds).description }

    /// What an error says of what is kept.
    func outside(_ what: String) -> OutsideRecording {
        OutsideRecording(channel: channel.name, what: what, kept: kept())
    }

    /// Of which stretches of time something is kept, on any track.
    ///
    /// - Parameter isOver: whether awaited segments count as gaps, so that those behind them are included.
    package nonisolated func kept(isOver: Bool = false) -> [Range<Int64>] {
        // Of one stretch mostly, so that there is little to sort.
        let ranges = timelines.flatMap { $0.kept(isOver: isOver) }.sorted { $0.lowerBound < $1.lowerBound }
        return ranges.reduce(into: []) { $0.join($1.lowerBound, $1.upperBound) }
    }

    /// Of which stretches of a window something is kept, on each track: it's another when some of it was given up.
    package nonisolated func kept(from: Int64, to: Int64) -> [[Range<Int64>]] {
        timelines.map { timeline in
            timeline.kept().map { $0.clamped(to: from..<to) }.filter { !$0.isEmpty }
        }
    }

    /// What a window consists of that is over.
    ///
    /// - Throws: as ``contents(from:to:)``; ``OutsideRecording`` where some of it is still to come.
    package func finished(from: Int64, to: Int64, isStrict: Bool = false) async throws -> RecordedWindow {
        guard isOver(at: to) else {
            throw outside(edge == nil ? "nothing of it has been recorded yet" : "the window isn't over yet")
        }
        return try await assembled(from: from, to: to, isStrict: isStrict)
    }

    /// What a window consists of, in the form in which an asset's contents are known: to be exported or to be kept.
    ///
    /// - Throws: ``OutsideRecording``; `CacheError` with `storage`.
    package func contents(from: Int64, to: Int64) async throws -> AssetContents {
        try await assembled(from: from, to: to).contents
    }

    /// The same, and what became of its segments.
    ///
    /// - Throws: as ``contents(from:to:)``.
    func assembled(from: Int64, to: Int64, isStrict: Bool = false) async throws -> RecordedWindow {
        let span = try granted(from, to, isStrict: isStrict)
        let isOver = isOver(at: to)
        var (gaps, bytes): (Int, Int64) = (0, 0)
        var contents = AssetContents(parts: [])
        contents.playlists.append(.init(name: AssetContents.entryName, url: channel.url, text: ""))
        var folders: Set<String> = []
        var listed: Set<String> = []
        var spans: [(span: Range<Int64>, tolerance: Int64)] = []
        var missing: [String] = []
        let named = ChannelEntry.folders(in: channel.entry)
        for timeline in timelines {
            let stretch = try await timeline.stretch(from: span.from, to: to, isOver: isOver)
            guard let first = stretch.segments.first, let last = stretch.segments.last else {
                // Tracks that the stream no longer has aren't missing.
                if named.contains(timeline.track) { missing.append(timeline.track) }
                continue
            }
            let track = timeline.track
            folders.insert(track)
            gaps += stretch.segments.count { $0.state == .gap }
            spans.append((first.start..<last.end, Int64(min(timeline.targetDuration, 3600)) * 1_000_000_000))
            bytes += stretch.segments.reduce(0) { $0 + ($1.state == .kept ? $1.length : 0) }
            contents.playlists.append(
                .init(
                    name: "\(track)/\(AssetContents.entryName)",
                    url: channel.tracks.first { $0.folder == track }?.url ?? channel.url,
                    text: String(
                        decoding: WindowPlaylist(stretch, begins: span.from, isOver: true).bytes, as: UTF8.self)))
            for row in stretch.segments where row.state == .kept {
                for companion in row.conditions.companions where listed.insert("\(track)/\(companion.name)").inserted {
                    contents.parts.append(part(companion, row, track: track))
                }
                contents.parts.append(part(row, track: track, origin: first.start))
            }
            contents.duration = max(contents.duration, Double(last.end - first.start) / 1e9)
        }
        guard !folders.isEmpty else { throw outside("nothing of that time is kept") }
        gaps += missing.count + Self.missingEnds(of: spans, in: span.from..<max(span.from, to))
        contents.playlists[0].text = ChannelEntry.text(channel.entry, playlist: "index.m3u8", having: folders)
        return RecordedWindow(begins: span.from, contents: contents, gaps: gaps, missingTracks: missing, bytes: bytes)
    }

    /// Returns the number of tracks' beginnings and ends that are missing in a window where another track has segments.
    /// The segments of two tracks rarely begin at the same time.
    private static func missingEnds(of spans: [(span: Range<Int64>, tolerance: Int64)], in window: Range<Int64>) -> Int
    {
        let first = max(window.lowerBound, spans.map(\.span.lowerBound).min() ?? window.lowerBound)
        let end = min(window.upperBound, spans.map(\.span.upperBound).max() ?? window.upperBound)
        return spans.count { $0.span.lowerBound > first.clampedSum($0.tolerance) }
            + spans.count { $0.span.upperBound < end.clampedSum(-$0.tolerance) }
    }
}

/// What a player is given for a window.
package struct WindowEntry: Sendable {
    /// A multivariant playlist.
    package var text: String
    /// When the window begins, in nanoseconds since 1970; nil of one that slides.
    package var begins: Int64?
}

extension Timeline {
    /// Whether there is something of a window.
    func has(_ span: (from: Int64, to: Int64?), isOver: Bool = false) -> Bool {
        kept(isOver: isOver).contains { $0.upperBound > span.from && $0.lowerBound < span.to ?? .max }
    }
}
