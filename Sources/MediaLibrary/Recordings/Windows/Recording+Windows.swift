internal import Foundation
import HLS
internal import MediaCache

/// Windows of a recording, as playlists.
extension Recording {
    /// What of a live edge players get where nobody says: a minute.
    private static let standardWindow: Int64 = 60_000_000_000
    /// How far behind now a window may begin that has nothing in it yet.
    private static let newest: Int64 = 60_000_000_000

    /// The text of what a player is given for a window.
    ///
    /// - Throws: ``OutsideRecording`` where the window begins outside what is kept; `CacheError` with `storage`.
    package func entry(_ request: WindowRequest) async throws -> String {
        guard !channel.entry.isEmpty else { throw try await outside("nothing of it has been recorded yet") }
        let name: String
        var folders = Set(timelines.filter { $0.edgeTime != nil }.map(\.track))
        switch request {
        case .live(let window):
            guard edge != nil else { throw try await outside("nothing of it has been recorded yet") }
            name = window.map { "index.m3u8?window=\(Self.seconds($0))" } ?? "index.m3u8"
        case .delayed(let delay): name = "timeshift_rel-\(Self.seconds(delay)).m3u8"
        case .span(let from, let to):
            let span = try await granted(from, to)
            name = Self.name(of: span)
            folders = []
            for timeline in timelines where try await timeline.begins(span) { folders.insert(timeline.track) }
        case .all:
            guard let first = try await kept().first, let edge else {
                throw try await outside("nothing of it has been recorded yet")
            }
            name = Self.name(of: (first.lowerBound, edge))
        }
        return ChannelEntry.text(channel.entry, playlist: name, having: folders)
    }

    /// A window of one track as a media playlist.
    ///
    /// - Throws: as ``entry(_:)``; `CacheError` with `notFound` where there is no such track.
    package func playlist(_ request: WindowRequest, track: String, isGranted: Bool = false) async throws -> [UInt8] {
        guard let timeline = timelines.first(where: { $0.track == track }) else {
            let tracks = timelines.map(\.track).joined(separator: ", ")
            throw CacheError(.notFound, "the channel \(channel.name) has no track “\(track)”; it has \(tracks)")
        }
        guard let edge = timeline.edgeTime else { throw try await outside("nothing of \(track) has been recorded yet") }
        switch request {
        case .live(let window):
            let stretch = try await timeline.stretch(from: edge - (window ?? Self.standardWindow), to: edge)
            return WindowPlaylist(stretch, isOver: !isRunning).bytes
        case .delayed(let delay):
            let now = now - delay
            var stretch = try await timeline.stretch(from: min(now, edge) - Self.standardWindow, to: now)
            stretch.segments.removeAll { $0.end > now }
            guard !stretch.segments.isEmpty else { throw try await outside("so long ago nothing was recorded") }
            return WindowPlaylist(stretch, isOver: !isRunning && now >= edge).bytes
        case .all:
            let kept = try await kept()
            return try await playlist(
                .span(from: kept.first?.lowerBound ?? edge, to: self.edge ?? edge), track: track, isGranted: true)
        case .span(let from, let to):
            let span = isGranted ? (from: from, to: to) : try await granted(from, to)
            let stretch = try await timeline.stretch(from: span.from, to: span.to ?? .max)
            guard let first = stretch.segments.first else { throw try await outside("nothing of that time is kept") }
            let isOver = span.to.map { edge >= $0 } ?? false || !isRunning
            return WindowPlaylist(stretch, begins: from, isOver: isOver, isGrowing: first.start <= span.from).bytes
        }
    }

    /// The window that is served for what was asked for.
    ///
    /// - Throws: ``OutsideRecording``.
    private func granted(_ from: Int64, _ to: Int64?) async throws -> (from: Int64, to: Int64?) {
        let kept = try await kept()
        guard let edge else { throw try await outside("nothing of it has been recorded yet") }
        if let range = kept.first(where: { $0.contains(from) }) {
            guard range.upperBound <= from else { return (from, to) }
        }
        // The edge is behind by what is under way.
        if isRunning, from >= edge, from <= max(now, edge) + 1_000_000_000, now - edge < Self.newest {
            return (edge - 1, to)
        }
        throw try await outside(
            from >= edge ? "it hasn't been recorded up to then" : "the window begins outside what is kept")
    }

    /// What a resolved window is called in a track's folder; ``WindowRequest/granted(name:)`` reads it.
    private static func name(of span: (from: Int64, to: Int64?)) -> String {
        "span-\(span.from)" + (span.to.map { "-\($0)" } ?? "") + ".m3u8"
    }

    private static func seconds(_ nanoseconds: Int64) -> String { DecimalValue(nanoseconds: nanoseconds).description }

    /// What an error says of what is kept.
    func outside(_ what: String) async throws -> OutsideRecording {
        OutsideRecording(channel: channel.name, what: what, kept: try await kept())
    }

    /// Of which stretches of time something is kept, on any track.
    package func kept() async throws -> [Range<Int64>] {
        var ranges: [Range<Int64>] = []
        for timeline in timelines { ranges += try await timeline.kept() }
        return ranges.sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { merged, range in
            if let last = merged.last, range.lowerBound - last.upperBound < 1_000_000_000 {
                merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
    }

    /// What a window consists of that is over.
    ///
    /// - Throws: as ``contents(from:to:)``; ``OutsideRecording`` where some of it is still to come.
    package func finished(from: Int64, to: Int64) async throws -> AssetContents {
        if isRunning, let edge, edge < to { throw try await outside("the window isn't over yet") }
        return try await contents(from: from, to: to)
    }

    /// What a window consists of, in the form in which an asset's contents are known: to be exported or to be kept.
    ///
    /// - Throws: ``OutsideRecording``; `CacheError` with `storage`.
    package func contents(from: Int64, to: Int64) async throws -> AssetContents {
        let span = try await granted(from, to)
        var contents = AssetContents(parts: [])
        contents.playlists.append(.init(name: AssetContents.entryName, url: channel.url, text: ""))
        var folders: Set<String> = []
        var listed: Set<String> = []
        for timeline in timelines {
            let stretch = try await timeline.stretch(from: span.from, to: to)
            guard let first = stretch.segments.first, let last = stretch.segments.last else { continue }
            let track = timeline.track
            folders.insert(track)
            contents.playlists.append(
                .init(
                    name: "\(track)/\(AssetContents.entryName)",
                    url: channel.tracks.first { $0.folder == track }?.url ?? channel.url,
                    text: String(
                        decoding: WindowPlaylist(stretch, begins: from, isOver: true).bytes, as: UTF8.self)))
            for row in stretch.segments where row.state == .kept {
                for companion in row.conditions.companions where listed.insert("\(track)/\(companion.name)").inserted {
                    contents.parts.append(part(companion, row, track: track))
                }
                contents.parts.append(part(row, track: track, origin: first.start))
            }
            contents.duration = max(contents.duration, Double(last.end - first.start) / 1e9)
        }
        guard !folders.isEmpty else { throw try await outside("nothing of that time is kept") }
        contents.playlists[0].text = ChannelEntry.text(channel.entry, playlist: "index.m3u8", having: folders)
        return contents
    }
}

extension Timeline {
    /// Whether there is something of a window.
    fileprivate func begins(_ span: (from: Int64, to: Int64?)) async throws -> Bool {
        guard let edge = edgeTime, let start else { return false }
        return start < span.to ?? .max && edge > span.from
    }
}

extension WindowRequest {
    /// The window of a name that an entry gave: it was granted then, and what of it has been given up since is no error.
    package init?(granted name: String) {
        guard name.hasPrefix("span-"), name.hasSuffix(".m3u8") else { return nil }
        let parts = name.dropFirst(5).dropLast(5).split(separator: "-").map { Int64($0) }
        guard (1...2).contains(parts.count), let from = parts[0] else { return nil }
        guard parts.count == 2 else {
            self = .span(from: from, to: nil)
            return
        }
        guard let to = parts[1], to > from else { return nil }
        self = .span(from: from, to: to)
    }
}

/// A window lies outside what is kept of a recording.
package struct OutsideRecording: Error, Sendable, CustomStringConvertible {
    /// Which channel.
    package let channel: ChannelName
    /// What is wrong, in words.
    package let what: String
    /// What is kept, in nanoseconds since 1970.
    package let kept: [Range<Int64>]

    /// One sentence, with what is kept.
    package var description: String {
        let ranges = kept.suffix(4).map {
            "\(DateTime(nanosecondsSinceEpoch: $0.lowerBound / 1_000_000 * 1_000_000)) to "
                + "\(DateTime(nanosecondsSinceEpoch: $0.upperBound / 1_000_000 * 1_000_000))"
        }
        return "\(channel): \(what); "
            + (ranges.isEmpty ? "nothing is kept" : "kept is \(ranges.joined(separator: ", "))")
    }
}
