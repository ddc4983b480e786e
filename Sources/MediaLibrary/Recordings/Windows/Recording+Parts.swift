internal import HLS
package import MediaCache

extension Recording {
    /// Returns a segment, a key or a media initialization section by its name in a track's folder.
    ///
    /// Doesn't check whether a key exists.
    ///
    /// - Throws: `CacheError`: `notFound` if no part has this name, or if it was removed or is a gap; `storage`.
    package nonisolated func part(_ name: String, track: String) async throws -> RecordedPart {
        guard let timeline = timelines.first(where: { $0.track == track }) else {
            throw CacheError(.notFound, "the recording has no track “\(track)”")
        }
        if let part = plainPart(name, track: track) { return RecordedPart(part: part, isWrapped: false) }
        var part = storedPart(name, track: track)
        guard let number = Int64(name.prefix { $0 != "." }) else {
            guard name.hasPrefix("key-") || name.hasPrefix("init-") else {
                throw CacheError(.notFound, "the recording has no part “\(track)/\(name)”")
            }
            part.role = name.hasPrefix("key-") ? .key : .initializationSection
            if part.role == .key { return RecordedPart(part: part, isWrapped: false) }
            // Sections may be byte ranges of a file.
            guard let companion = try await timeline.companion(name) else {
                throw CacheError(.notFound, "“\(track)/\(name)” was removed from the recording")
            }
            part.range = companion.range
            return RecordedPart(part: part, isWrapped: false)
        }
        guard let row = try await timeline.segment(number), row.name == name else {
            throw CacheError(.notFound, "“\(track)/\(name)” was removed from the recording")
        }
        guard row.state == .stored else {
            throw CacheError(.notFound, "the segment “\(track)/\(name)” couldn't be recorded: it's a gap")
        }
        return RecordedPart(part: self.part(row, track: track), isWrapped: row.isWrapped)
    }

    /// Returns the time range of a segment in nanoseconds since 1970; nil if there is no such track or segment.
    ///
    /// - Throws: `CacheError` with `storage`.
    package nonisolated func span(ofSegment number: Int64, track: String) async throws -> Range<Int64>? {
        guard let timeline = timelines.first(where: { $0.track == track }) else { return nil }
        return try await timeline.segment(number).map { $0.start..<max($0.start + 1, $0.end) }
    }

    /// Returns a request for a segment if the index shows that it's a whole resource without wrapping; otherwise nil.
    package nonisolated func plainRequest(_ name: String, track: String, settings: TransferSettings) -> ReadRequest? {
        plainPart(name, track: track)?.request(of: Self.noURL, settings: settings)
    }

    private nonisolated func plainPart(_ name: String, track: String) -> AssetPart? {
        guard let timeline = timelines.first(where: { $0.track == track }),
            let number = Int64(name.prefix { $0 != "." }), timeline.isPlain(number)
        else { return nil }
        return storedPart(name, track: track)
    }

    private nonisolated func storedPart(_ name: String, track: String) -> AssetPart {
        var part = AssetPart(role: .mediaSegment, name: "\(track)/\(name)", url: Self.noURLText)
        part.storedAs = id.storedName(name, track: track)
        return part
    }

    /// A placeholder for the URL of parts that are found by their cache key. Its host never exists (RFC 6761 §6.4).
    private static let noURLText = "http://recording.invalid/"
    private static let noURL: ResourceURL = {
        do {
            return try ResourceURL(noURLText)
        } catch {
            preconditionFailure("\(error)")
        }
    }()

    /// Returns the position of the video frame at a time in nanoseconds since 1970: the track, the segment that
    /// contains the frame, and the seconds since the start of that segment.
    ///
    /// - Throws: ``WindowOutOfRangeError``; `CacheError` with `storage`.
    package func moment(_ time: Int64) async throws -> (track: String, row: RecordedSegment, offset: Double) {
        let pictures = timelines.filter { !$0.track.hasPrefix("audio") && !$0.track.hasPrefix("text") }
        let end = time.clampedSum(Self.resolution)
        let isOver = isOver(at: end)
        for timeline in pictures {
            // Dates in playlists are truncated to milliseconds, so the time may be slightly before the segment.
            let range = try await timeline.range(from: time, to: end, isOver: isOver)
            guard let row = range.segments.first(where: { $0.state == .stored }) else { continue }
            return (timeline.track, row, Double(max(0, time - row.start)) / 1e9)
        }
        throw outside("no video frame is available at that time")
    }
}

package struct RecordedPart: Sendable {
    /// The description of the part, with its cache key.
    package var part: AssetPart
    /// Whether the origin wrapped the part in other bytes, which must be removed for players.
    package var isWrapped: Bool
}
