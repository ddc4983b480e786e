import HLS
package import MediaContainers

/// The tracks of a stream for a player that requests their segments one by one.
package struct StreamPresentation: Sendable, Hashable {
    /// A variant stream.
    package struct Variant: Sendable, Hashable {
        /// The peak bit rate in bits per second.
        package var bandwidth: Int
        package var width: Int?
        package var height: Int?
        /// Frames per second.
        package var frameRate: Double?
        /// The codecs that the playlist declares (RFC 6381); empty if it declares none.
        package var codecs: [String]
    }

    /// A track of the selected variant stream.
    package struct Track: Sendable, Hashable {
        package var kind: MediaKind
        /// The URL of the track's media playlist.
        package var playlist: String
        /// The position among the tracks of the same kind in the segments, from 0.
        package var ordinal = 0
        /// The codec (RFC 6381); nil if it's unknown until a segment is read.
        package var codec: String?
        package var width: Int?
        package var height: Int?
        package var frameRate: Double?
        package var channels: Int?
        package var sampleRate: Int?
        package var language: String?
        package var name: String?
        /// Whether players select the track by default.
        package var isDefault = false
        /// Whether a subtitle track only contains text that all viewers need.
        package var isForced = false
        /// The reason why the track can't be converted; nil if it can.
        package var obstacle: String?
    }

    /// The variant streams in the playlist's order; empty for a stream without a choice.
    package private(set) var variants: [Variant] = []
    /// The index of the selected variant stream; nil if there is no choice.
    package private(set) var variant: Int?
    /// The tracks: video, audio, then subtitles.
    package private(set) var tracks: [Track] = []
    /// Whether segments may be added.
    package private(set) var isLive = false
    /// The duration in seconds of the segments that are listed now.
    package private(set) var duration = 0.0

    /// The maximum number of segments of an on-demand playlist that are read to determine the tracks.
    private static let maximumProbes = 3
    /// The number of segments before the end of a live playlist at which playback begins.
    private static let liveDistance = 3

    /// Reads a stream's playlist, and the media playlists of the selected variant stream and its default audio. The
    /// tracks are determined from a segment of each media playlist.
    ///
    /// - Parameters:
    ///   - variables: The variables that the playlist may import.
    ///   - variant: The index of the variant stream; nil selects the one with the highest bandwidth.
    /// - Throws: `ContainerError`: `notThisFormat` if the resource isn't a playlist; `malformed`; `unsupported`; the
    ///   errors of `resources`.
    package init(
        playlist url: String, variables: [String: String] = [:], variant index: Int? = nil,
        resources: some StreamResources
    ) throws(ContainerError) {
        let (parsed, location) = try StreamPlan.load(url, variables: variables, resources: resources)
        var remux = FragmentRemux(resources)
        switch parsed.playlist {
        case .media(let playlist):
            let table = try SegmentTable(playlist, at: location)
            adopt(table)
            tracks = try Self.tracks(in: table, declared: [], from: &remux)
            selectDefault()
        case .multivariant(let playlist):
            let streams = RedundantStreams(of: playlist).playlist
            variants = streams.variants.map(Self.variant)
            let best = streams.variants.indices.max { variants[$0].bandwidth < variants[$1].bandwidth }
            guard let selected = index ?? best, variants.indices.contains(selected) else {
                throw ContainerError(
                    .unsupported,
                    "\(url) has no variant stream \(index ?? 0); it has \(variants.count), numbered from 0")
            }
            variant = selected
            let context = Context(
                playlist: streams, variant: streams.variants[selected], location: location,
                variables: parsed.variables)
            try read(context, from: &remux, resources)
        }
    }

    /// A selected variant stream and its playlist.
    private struct Context {
        var playlist: MultivariantPlaylist
        var variant: VariantStream
        var location: String
        var variables: [String: String]

        func url(_ uri: String) throws(ContainerError) -> String { try StreamPlan.resolved(uri, against: location) }
    }

    private static func variant(_ stream: VariantStream) -> Variant {
        Variant(
            bandwidth: stream.bandwidth, width: stream.resolution?.width, height: stream.resolution?.height,
            frameRate: stream.frameRate.map { Double($0.nanoseconds) / 1e9 }, codecs: stream.codecs)
    }

    private mutating func adopt(_ table: SegmentTable) {
        isLive = table.isLive
        duration = table.duration
    }

    private mutating func read<Resources: StreamResources>(
        _ context: Context, from remux: inout FragmentRemux<Resources>, _ resources: Resources
    ) throws(ContainerError) {
        let table = try SegmentTable(
            playlist: try context.url(context.variant.uri), variables: context.variables, resources: resources)
        adopt(table)
        let own = try Self.tracks(in: table, declared: context.variant.codecs, from: &remux)
        let renditions = context.playlist.renditions(.audio, of: context.variant)
        let selected = context.playlist.rendition(.audio, of: context.variant)
        // The audio in the variant stream's segments belongs to the renditions without a separate playlist. If
        // there are only renditions with one, this audio is ignored.
        let inside = renditions.filter { $0.uri == nil || $0.uri == context.variant.uri }
        tracks = own.filter { $0.kind == .video || renditions.isEmpty || !inside.isEmpty }
        for (position, rendition) in inside.enumerated() {
            guard let index = tracks.firstIndex(where: { $0.kind == .audio && $0.ordinal == position }) else {
                continue
            }
            Self.label(&tracks[index], rendition, isDefault: rendition == selected)
        }
        var isFirst = true
        for rendition in renditions where !inside.contains(rendition) {
            guard let uri = rendition.uri else { continue }
            var track = Track(kind: .audio, playlist: try context.url(uri))
            if rendition == selected || isFirst && selected == nil {
                // The codec of the rendition that is played first must be known; the others usually have the same.
                track = Self.audioTrack(track, context, resources, &remux)
            }
            isFirst = false
            Self.label(&track, rendition, isDefault: rendition == selected)
            tracks.append(track)
        }
        for rendition in context.playlist.renditions(.subtitles, of: context.variant) {
            guard let uri = rendition.uri else { continue }
            var track = Track(kind: .text, playlist: try context.url(uri))
            Self.label(&track, rendition, isDefault: rendition.isDefault)
            track.isForced = rendition.isForced
            tracks.append(track)
        }
        selectDefault()
    }

    private static func audioTrack<Resources: StreamResources>(
        _ track: Track, _ context: Context, _ resources: Resources, _ remux: inout FragmentRemux<Resources>
    ) -> Track {
        var track = track
        do throws(ContainerError) {
            let table = try SegmentTable(
                playlist: track.playlist, variables: context.variables, resources: resources)
            let declared = context.variant.codecs.filter { DeclaredCodec.kind(of: $0) == .audio }
            let found = try tracks(in: table, declared: declared, from: &remux)
            if let audio = found.first(where: { $0.kind == .audio }) {
                track = audio
            } else {
                track.obstacle = "the segments contain no audio"
            }
        } catch {
            // The other tracks are still playable.
            track.obstacle = error.summary
        }
        return track
    }

    private static func label(_ track: inout Track, _ rendition: Rendition, isDefault: Bool) {
        track.name = rendition.name
        track.language = rendition.language ?? track.language
        track.isDefault = isDefault
    }

    /// Makes the first video track a default, and the first playable audio track if no playable one is a default.
    private mutating func selectDefault() {
        if let video = tracks.firstIndex(where: { $0.kind == .video }) { tracks[video].isDefault = true }
        guard !tracks.contains(where: { $0.kind == .audio && $0.isDefault && $0.obstacle == nil }) else { return }
        let first = tracks.firstIndex { $0.kind == .audio && $0.obstacle == nil }
        for index in tracks.indices where tracks[index].kind == .audio { tracks[index].isDefault = index == first }
    }

    /// Returns the tracks of a media playlist's segments. If no segment can be read, they are derived from the codecs
    /// that the multivariant playlist declares.
    private static func tracks<Resources: StreamResources>(
        in table: SegmentTable, declared: [String], from remux: inout FragmentRemux<Resources>
    ) throws(ContainerError) -> [Track] {
        let available = table.rows.filter { !$0.isGap }
        let probes = table.isLive ? Array(available.suffix(liveDistance)) : Array(available.prefix(maximumProbes))
        var failure = ContainerError(.malformed, "\(table.location): the playlist has no available media segments")
        for row in probes {
            do throws(ContainerError) {
                guard let part = try table.part(row.number) else { continue }
                let found = try remux.tracks(of: part)
                if !found.isEmpty { return describe(found, at: table.location) }
                failure = ContainerError(.unsupported, "\(part.name): the segment has no audio or video")
            } catch {
                if error.cause is CancellationError { throw error }
                failure = error
            }
        }
        var tracks: [Track] = []
        for kind in [MediaKind.video, .audio] {
            guard let codec = declared.first(where: { DeclaredCodec.kind(of: $0) == kind }) else { continue }
            var track = Track(kind: kind, playlist: table.location)
            track.codec = codec
            tracks.append(track)
        }
        guard !tracks.isEmpty else { throw failure }
        return tracks
    }

    private static func describe(_ found: [MediaTrack], at playlist: String) -> [Track] {
        var counts: [MediaKind: Int] = [:]
        let tracks = found.map { media in
            var track = Track(kind: media.kind, playlist: playlist, ordinal: counts[media.kind, default: 0])
            counts[media.kind, default: 0] += 1
            track.codec = media.format.flatMap { $0.codecString.isEmpty ? nil : $0.codecString }
            track.obstacle = media.obstacle
            track.language = media.language.flatMap { $0 == "und" ? nil : $0 }
            track.frameRate = media.frameRate
            if let format = media.format {
                if media.kind == .video { (track.width, track.height) = (format.width, format.height) }
                if media.kind == .audio { (track.channels, track.sampleRate) = (format.channels, format.sampleRate) }
            }
            return track
        }
        return tracks.filter { $0.kind == .video } + tracks.filter { $0.kind == .audio }
    }
}
