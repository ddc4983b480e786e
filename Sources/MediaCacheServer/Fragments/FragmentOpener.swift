import Foundation
import MediaCache
import MediaCacheAPI
import MediaContainers
import MediaLibrary

/// The opener of a file below a playlist: its tracks, segments or subtitles as JSON, or a track of a segment as
/// fragmented MP4.
struct FragmentOpener: ReaderOpener {
    let stream: FragmentStream
    let file: FragmentFile
    let query: QueryItems
    let service: FragmentService

    /// The maximum number of segments in a response.
    private static let maximumSegments = 1000
    /// The maximum number of subtitle segments in a response.
    private static let maximumCueSegments = 60

    var name: String { stream.name }

    func reader(_ range: RequestedRange) async throws -> any ByteReader {
        switch file {
        case .media:
            let variant = try query["variant"].map(Self.number)
            return try json(await read { try $0.presentation(variant) })
        case .segments:
            let rows = try RowRange(query)
            let playlist = try await stream.narrowed(stream.playlist, rows.need)
            return try json(await read { try $0.segmentList(playlist, rows, limit: Self.maximumSegments) })
        case .cues:
            let rows = try RowRange(query)
            let playlist = try await stream.narrowed(stream.playlist, rows.need)
            return try json(await read { try $0.cueList(playlist, rows, limit: Self.maximumCueSegments) })
        case .fragment(let number, let kind, let ordinal):
            let playlist = try await stream.narrowed(stream.playlist, .segment(number))
            let fragment = try await read { try $0.fragment(number, of: playlist, kind, ordinal) }
            let codecs = fragment.formats.first.map(\.codecString) ?? ""
            return try MemoryReader(
                fragment.bytes, contentType: "\(kind.rawValue)/mp4; codecs=\"\(codecs)\"", range: range,
                name: "\(stream.name), segment \(number)", share: service.memory.share(of: fragment.bytes.count))
        }
    }

    private func json(_ value: some Encodable) throws -> MemoryReader {
        // Clients would combine ranges of two versions.
        try MemoryReader(
            Array(try APICoding.makeEncoder().encode(value)), contentType: "application/json", range: .all, name: name,
            acceptsRanges: false)
    }

    private func read<Value: Sendable>(_ body: @escaping @Sendable (FragmentReading) throws -> Value) async throws
        -> Value
    {
        try await service.limit(isRemote: stream.isRemote).run { [stream, service] in
            try await BlockingOperation.run { control in
                let resources = ServedResources(control: control, open: stream.open)
                do {
                    return try body(FragmentReading(stream: stream, service: service, resources: resources))
                } catch let error as ContainerError {
                    throw Self.failure(error, of: stream)
                }
            }
        }
    }

    private static func failure(_ error: ContainerError, of stream: FragmentStream) -> any Error {
        // The errors of the resources are those that a player would receive.
        if let cause = error.cause { return cause }
        var text = error.summary.replacing(ServedResources.base + stream.playlist, with: stream.name)
        text = text.replacing(ServedResources.base, with: "")
        return Problem.notConvertible("\(stream.name) can't be converted to fragmented MP4: \(text)")
    }

    static func number(_ text: String) throws -> Int {
        guard let number = Int(text), number >= 0 else {
            throw Problem.badRequest("“\(text)” isn't a number of a variant stream or segment")
        }
        return number
    }
}

/// The segments that a query requests: those after the number `after` that overlap `from` to `to`, in seconds on the
/// stream's axis.
private struct RowRange: Sendable {
    var from: Double?
    var to: Double?
    var after: Int?

    init(_ query: QueryItems) throws {
        from = try query.seconds("from")
        to = try query.seconds("to")
        after = try query["after"].map(FragmentOpener.number)
    }

    var need: FragmentStream.Need { .range(from: from, to: to, after: after) }

    func contains(_ row: SegmentRecord) -> Bool {
        row.number > after ?? -1 && row.start + row.duration > from ?? -.infinity && row.start < to ?? .infinity
    }
}

/// A blocking read of a stream for one request.
private struct FragmentReading {
    let stream: FragmentStream
    let service: FragmentService
    let resources: ServedResources

    func presentation(_ variant: Int?) throws -> StreamRecord {
        let presentation = try StreamPresentation(
            playlist: ServedResources.base + stream.playlist, variables: stream.variables, variant: variant,
            resources: resources)
        let axis: StreamRecord.Axis = stream.isRecording ? .wallClock : presentation.isLive ? .window : .start
        return StreamRecord(
            isLive: presentation.isLive, duration: presentation.duration, axis: axis,
            timeOffset: Double(FragmentSink.timeOffset),
            variants: try presentation.variants.enumerated().map { index, variant in
                VariantRecord(
                    bandwidth: variant.bandwidth, width: variant.width, height: variant.height,
                    frameRate: variant.frameRate, codecs: variant.codecs,
                    media: try stream.address(stream.playlist, "media.json", "variant=\(index)"))
            }, variant: presentation.variant, tracks: try presentation.tracks.compactMap(trackRecord))
    }

    private func trackRecord(_ track: StreamPresentation.Track) throws -> StreamTrackRecord? {
        guard let kind = StreamTrackRecord.Kind(rawValue: track.kind.rawValue),
            track.playlist.hasPrefix(ServedResources.base + "/")
        else { return nil }
        let playlist = String(track.playlist.dropFirst(ServedResources.base.count))
        var record = StreamTrackRecord(kind: kind, segments: try stream.address(playlist, "segments.json", "{query}"))
        if kind == .text {
            record.cues = try stream.address(playlist, "cues.json", "{query}")
        } else {
            record.codec = track.codec
            record.type = "\(kind.rawValue)/mp4" + (track.codec.map { "; codecs=\"\($0)\"" } ?? "")
            record.fragments = try stream.address(
                playlist, FragmentFile.template(track.kind, ordinal: track.ordinal), "")
        }
        (record.width, record.height, record.frameRate) = (track.width, track.height, track.frameRate)
        (record.channels, record.sampleRate) = (track.channels, track.sampleRate)
        (record.language, record.name) = (track.language, track.name)
        (record.isDefault, record.isForced) = (track.isDefault, track.isForced)
        record.obstacle = track.obstacle
        return record
    }

    func segmentList(_ playlist: String, _ range: RowRange, limit: Int) throws -> SegmentList {
        let table = try loaded(playlist)
        let rows = table.rows.lazy.map(segmentRecord).filter(range.contains).prefix(limit + 1)
        return SegmentList(
            isLive: table.isLive, targetDuration: table.targetDuration,
            range: table.rows.first.map(segmentRecord).flatMap { first in
                table.rows.last.map(segmentRecord).map {
                    SegmentRange(start: first.start, end: $0.start + $0.duration)
                }
            }, isTruncated: rows.count > limit, segments: Array(rows.prefix(limit)))
    }

    func cueList(_ playlist: String, _ range: RowRange, limit: Int) throws -> CueList {
        let table = try loaded(playlist)
        let rows = table.rows.filter { range.contains(segmentRecord($0)) }
        let found = try SegmentCues.read(rows.prefix(limit), of: table, from: resources)
        return CueList(
            isTruncated: rows.count > limit,
            segments: found.map { segment in
                let offset = segment.isOnMediaClock ? Double(FragmentSink.timeOffset) : 0
                return CueSegmentRecord(
                    segment: segmentRecord(segment.row), clock: segment.isOnMediaClock ? .media : .unspecified,
                    cues: segment.cues.map { cue in
                        CueRecord(
                            start: Double(cue.start) / 90_000 + offset, end: Double(cue.end) / 90_000 + offset,
                            identifier: cue.identifier, settings: cue.settings, text: cue.payload)
                    })
            })
    }

    func fragment(_ number: Int, of playlist: String, _ kind: MediaKind, _ ordinal: Int) throws -> MediaFragment {
        let table = try (stream.isRemote ? service.table(of: playlist, with: number) : nil) ?? loaded(playlist)
        guard let row = table.row(number), let part = try table.part(number) else {
            throw CacheError(.notFound, "\(stream.name) has no segment \(number) now")
        }
        guard !row.isGap else { throw CacheError(.notFound, "the segment \(number) of \(stream.name) is a gap") }
        var remux = FragmentRemux(resources)
        guard let fragment = try remux.fragment(of: part, kind: kind, ordinal: ordinal) else {
            throw CacheError(.notFound, "the segment \(number) of \(stream.name) has no such \(kind.rawValue) track")
        }
        return fragment
    }

    private func loaded(_ playlist: String) throws -> SegmentTable {
        let table = try SegmentTable(
            playlist: ServedResources.base + playlist, variables: stream.variables, resources: resources)
        if stream.isRemote { service.remember(table, of: playlist) }
        return table
    }

    private func segmentRecord(_ row: SegmentTable.Row) -> SegmentRecord {
        let start = stream.isRecording ? row.date.map { Double($0) / 1e9 } : nil
        return SegmentRecord(
            number: row.number, start: start ?? row.start, duration: row.duration, discontinuity: row.discontinuity,
            isGap: row.isGap, date: row.date.map { $0 / 1_000_000 })
    }
}
