internal import HLS
package import MediaContainers

extension StreamRemux {
    /// Stretches of an input that are looked at; an input with more is looked at in its longest.
    private static var mostStretches: Int { 64 }
    /// Parts of a stretch that are tried.
    private static var mostParts: Int { 2 }

    /// Parts of an input between two points at which their codecs may change.
    private struct Stretch {
        var duration = 0.0
        var parts: [StreamPart] = []
    }

    private struct StretchKey: Hashable {
        var discontinuities: Int
        var section: StreamPart.Section?
    }

    /// The codecs of most of each input, by kind, where its stretches differ in them: an advertisement that a window
    /// begins with doesn't decide what the rest is. A kind without an entry has the same everywhere.
    ///
    /// - Throws: `ContainerError` where the work is cancelled; what can't be read isn't counted.
    package mutating func commonCodecs() throws(ContainerError) -> [[MediaKind: Set<Codec>]] {
        var found: [[MediaKind: Set<Codec>]] = []
        for parts in plan.inputs { found.append(try commonCodecs(of: parts)) }
        return found
    }

    private mutating func commonCodecs(
        of parts: [StreamPart]
    ) throws(ContainerError) -> [MediaKind: Set<Codec>] {
        var stretches: [StretchKey: Stretch] = [:]
        for part in parts where part.isSegment {
            let key = StretchKey(discontinuities: part.discontinuities, section: part.section)
            stretches[key, default: Stretch()].duration += part.duration
            if stretches[key]?.parts.count ?? 0 < Self.mostParts { stretches[key]?.parts.append(part) }
        }
        guard stretches.count > 1 else { return [:] }
        var durations: [MediaKind: [Set<Codec>: Double]] = [:]
        for stretch in stretches.values.sorted(by: { $0.duration > $1.duration }).prefix(Self.mostStretches) {
            var found: [MediaKind: Set<Codec>]?
            for part in stretch.parts where found == nil { found = try codecs(of: part) }
            for (kind, codecs) in found ?? [:] {
                durations[kind, default: [:]][codecs, default: 0] += stretch.duration
            }
        }
        return durations.compactMapValues { durations in
            guard durations.count > 1, let most = durations.values.max(),
                let main = durations.first(where: { $0.value == most })?.key
            else { return nil }
            // Sound that is there besides the usual is another track, and no change.
            return durations.keys.filter { !$0.isDisjoint(with: main) }.reduce(main) { $0.union($1) }
        }
    }

    /// The codecs that a part's front names; nil where it can't be read.
    private mutating func codecs(of part: StreamPart) throws(ContainerError) -> [MediaKind: Set<Codec>]? {
        do throws(ContainerError) {
            let tracks = try self.tracks(of: part).filter { $0.isRead && ($0.kind == .video || $0.kind == .audio) }
            guard !tracks.isEmpty else { return nil }
            return Dictionary(grouping: tracks, by: \.kind).mapValues { Set($0.flatMap(\.formats).map(\.codec)) }
        } catch {
            if error.cause is CancellationError { throw error }
            return nil
        }
    }
}

/// The tracks that a demuxer announces.
struct TrackListing: SampleSink {
    private(set) var tracks: [MediaTrack] = []

    mutating func tracks(_ tracks: [MediaTrack]) { self.tracks = tracks }

    mutating func sample(_: MediaSample, bytes _: UnsafeRawBufferPointer) {}
}
