internal import HLS
package import MediaContainers

extension StreamRemux {
    /// The maximum number of part groups examined per input, longest first.
    private static var maximumGroups: Int { 64 }
    private static var maximumParts: Int { 2 }

    /// The segments of an input with the same discontinuity number and media initialization section: their total
    /// duration, and the first of them. Codecs may only change between groups.
    private struct PartGroup {
        var duration = 0.0
        var parts: [StreamPart] = []
    }

    private struct PartGroupKey: Hashable {
        var discontinuities: Int
        var section: StreamPart.Section?
    }

    /// Returns the predominant codecs of each input, by kind. They're needed if codecs change within an input, so that
    /// an advertisement at the beginning doesn't determine them. A kind with the same codecs everywhere has no entry.
    /// Unreadable parts are ignored.
    package mutating func commonCodecs() throws(ContainerError) -> [[MediaKind: Set<Codec>]] {
        var found: [[MediaKind: Set<Codec>]] = []
        for parts in plan.inputs { found.append(try commonCodecs(of: parts)) }
        return found
    }

    private mutating func commonCodecs(of parts: [StreamPart]) throws(ContainerError) -> [MediaKind: Set<Codec>] {
        var groups: [PartGroupKey: PartGroup] = [:]
        for part in parts where part.isSegment {
            let key = PartGroupKey(discontinuities: part.discontinuities, section: part.section)
            groups[key, default: PartGroup()].duration += part.duration
            if groups[key]?.parts.count ?? 0 < Self.maximumParts { groups[key]?.parts.append(part) }
        }
        guard groups.count > 1 else { return [:] }
        var durations: [MediaKind: [Set<Codec>: Double]] = [:]
        for group in groups.values.sorted(by: { $0.duration > $1.duration }).prefix(Self.maximumGroups) {
            var found: [MediaKind: Set<Codec>]?
            for part in group.parts where found == nil { found = try codecs(of: part) }
            for (kind, codecs) in found ?? [:] { durations[kind, default: [:]][codecs, default: 0] += group.duration }
        }
        return durations.compactMapValues { durations in
            guard durations.count > 1, let longest = durations.values.max(),
                let main = durations.first(where: { $0.value == longest })?.key
            else { return nil }
            // An additional audio codec belongs to another track, so it isn't a change.
            return durations.keys.filter { !$0.isDisjoint(with: main) }.reduce(main) { $0.union($1) }
        }
    }

    /// Returns the codecs at the beginning of a part; nil if it can't be read.
    private mutating func codecs(of part: StreamPart) throws(ContainerError) -> [MediaKind: Set<Codec>]? {
        do throws(ContainerError) {
            let tracks = try reader.tracks(of: part).filter {
                $0.isSupported && ($0.kind == .video || $0.kind == .audio)
            }
            guard !tracks.isEmpty else { return nil }
            return Dictionary(grouping: tracks, by: \.kind).mapValues { Set($0.flatMap(\.formats).map(\.codec)) }
        } catch {
            if error.cause is CancellationError { throw error }
            return nil
        }
    }
}

/// A sink that lists the tracks of a demuxer.
struct TrackListing: SampleSink {
    private(set) var tracks: [MediaTrack] = []

    mutating func tracks(_ tracks: [MediaTrack]) { self.tracks = tracks }

    mutating func sample(_: MediaSample, bytes _: UnsafeRawBufferPointer) {}
}
