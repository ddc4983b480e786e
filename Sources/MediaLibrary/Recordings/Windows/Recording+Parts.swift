internal import HLS
package import MediaCache

/// What playlists of a recording name.
extension Recording {
    /// A segment, a key or a media initialization section by its name in a track's folder.
    ///
    /// - Throws: `CacheError` with `notFound` where there is none of this name, or none any more.
    package nonisolated func part(_ name: String, track: String) async throws -> RecordedPart {
        guard let timeline = timelines.first(where: { $0.track == track }) else {
            throw CacheError(.notFound, "the recording has no track “\(track)”")
        }
        if let part = plainPart(name, track: track) { return RecordedPart(part: part, isWrapped: false) }
        var part = keptPart(name, track: track)
        guard let number = Int64(name.prefix { $0 != "." }) else {
            guard name.hasPrefix("key-") || name.hasPrefix("init-") else {
                throw CacheError(.notFound, "the recording has no “\(track)/\(name)”")
            }
            part.role = name.hasPrefix("key-") ? .key : .initializationSection
            if part.role == .key { return RecordedPart(part: part, isWrapped: false) }
            // Sections may be slices of a file.
            guard let companion = try await timeline.companion(name) else {
                throw CacheError(.notFound, "nothing is kept of “\(track)/\(name)” any more")
            }
            part.range = companion.range
            return RecordedPart(part: part, isWrapped: false)
        }
        guard let row = try await timeline.segment(number), row.name == name else {
            throw CacheError(.notFound, "nothing is kept of “\(track)/\(name)” any more")
        }
        guard row.state == .kept else { throw CacheError(.notFound, "“\(track)/\(name)” was lost: it's a gap") }
        return RecordedPart(part: self.part(row, track: track), isWrapped: row.isWrapped)
    }

    /// A read of a segment that is a whole resource without anything around it, where that is known without waiting; else
    /// nil.
    package nonisolated func plainRequest(_ name: String, track: String, settings: TransferSettings) -> ReadRequest? {
        plainPart(name, track: track)?.request(of: Self.noURL, settings: settings)
    }

    private nonisolated func plainPart(_ name: String, track: String) -> AssetPart? {
        guard let timeline = timelines.first(where: { $0.track == track }),
            let number = Int64(name.prefix { $0 != "." }), timeline.isPlain(number)
        else { return nil }
        return keptPart(name, track: track)
    }

    private nonisolated func keptPart(_ name: String, track: String) -> AssetPart {
        var part = AssetPart(role: .mediaSegment, name: "\(track)/\(name)", url: Self.noURLText)
        part.keptAs = id.keptName(name, track: track)
        return part
    }

    /// What stands for the URL of what is found by its name: no host has this one (RFC 6761 §6.4).
    private static let noURLText = "http://recording.invalid/"
    private static let noURL: ResourceURL = {
        do {
            return try ResourceURL(noURLText)
        } catch {
            preconditionFailure("\(error)")
        }
    }()

    /// Where a picture of a moment is: the track, the row that is under way then, and how many seconds of it are over.
    ///
    /// - Throws: ``OutsideRecording``; `CacheError` with `storage`.
    package func moment(_ time: Int64) async throws -> (track: String, row: RecordedSegment, offset: Double) {
        let pictures = timelines.filter { !$0.track.hasPrefix("audio") && !$0.track.hasPrefix("text") }
        let end = time.clampedSum(Self.resolution)
        let isOver = isOver(at: end)
        for timeline in pictures {
            // A moment that a playlist gives is up to a millisecond before the segment's beginning.
            let stretch = try await timeline.stretch(from: time, to: end, isOver: isOver)
            guard let row = stretch.segments.first(where: { $0.state == .kept }) else { continue }
            return (timeline.track, row, Double(max(0, time - row.start)) / 1e9)
        }
        throw outside("there is no picture of that moment")
    }
}

/// A part of a recording as it's served.
package struct RecordedPart: Sendable {
    /// What it is, and where it's kept.
    package var part: AssetPart
    /// Whether its origin has put something around it, which players mustn't get.
    package var isWrapped: Bool
}
