import HLS
internal import MediaCache
public import MediaContainers

/// The parts from which a stream or files are remuxed: parallel inputs, each an ordered list of parts.
public struct StreamPlan: Sendable, Hashable {
    private static var maximumPlaylistLength: Int { PlaylistParser.Limits().playlistLength }

    /// The parts of each input: video (possibly with audio) first, then audio renditions.
    ///
    /// Segments marked as gaps (EXT-X-GAP) aren't parts; they're listed in ``gaps``. A gap between other segments keeps
    /// its duration in the output. Gaps at the beginning and end are omitted.
    public var inputs: [[StreamPart]]
    /// The segments marked as gaps. Those of one input are in order.
    public internal(set) var gaps: [MovieGap] = []
    /// The label of each input's audio; nil if the playlist declares none.
    public var audioLabels: [TrackLabel?]
    /// The subtitles, if they were requested.
    public var subtitles: [SubtitleRendition] = []
    /// The duration in seconds, according to the playlist; 0 if unknown.
    public var duration: Double = 0
    /// The URLs of the inputs' playlists, in the order of ``inputs``; empty for files.
    package private(set) var locations: [String] = []
    /// A description of the chosen variant stream; nil if there was no choice.
    public var variant: String?
    /// Whether the playlist is live, so that the plan only contains the current segments.
    public var isLive = false

    /// Creates a plan of files.
    public init(inputs: [[StreamPart]]) {
        self.inputs = inputs
        audioLabels = inputs.map { _ in nil }
    }

    /// Joins plans with the same number of inputs in sequence. The subtitles of the plans are omitted.
    public init(joining plans: [StreamPlan]) {
        inputs = (plans.first?.inputs ?? []).map { _ in [] }
        audioLabels = inputs.indices.map { index in
            let all = Set(plans.map { $0.audioLabels.indices.contains(index) ? $0.audioLabels[index] : nil })
            return all.count == 1 ? all.first ?? nil : nil
        }
        for plan in plans {
            let before = inputs.joined().map(\.discontinuities).max().map { $0 + 1 } ?? 0
            for (index, parts) in plan.inputs.prefix(inputs.count).enumerated() {
                var parts = parts
                // Each stream has its own clock, but files may belong to one recording.
                if !inputs[index].isEmpty, !parts.isEmpty {
                    parts[0].join = plan.duration > 0 ? .discontinuity : .file
                }
                inputs[index] += parts.map { part in
                    var part = part
                    part.start += duration
                    part.discontinuities += before
                    return part
                }
            }
            gaps += plan.gaps.map { gap in
                var gap = gap
                gap.start += duration
                return gap
            }
            duration += plan.duration
        }
    }

    /// Creates a plan of a stream.
    ///
    /// - Parameters:
    ///   - choice: The selection from a multivariant playlist.
    ///   - base: The base URL of references; nil means the playlist's location.
    ///   - isAvailable: A function that returns whether the segments of a media playlist can be read, given its URL in
    ///     the normalized form of `ResourceURL`. Unavailable variant streams and renditions are only chosen if none is
    ///     available.
    /// - Throws: `ContainerError`: `notThisFormat` if the resource isn't a playlist; `encrypted` if no segment of a
    ///   playlist can be decrypted (if only some can't, they become parts with an obstacle); `malformed`;
    ///   `unsupported`; and the errors of `resources`.
    public init(
        playlist url: String, choice: StreamChoice = StreamChoice(), base: String? = nil,
        resources: some StreamResources, isAvailable: (String) -> Bool = { _ in true }
    ) throws(ContainerError) {
        let (parsed, location) = try Self.load(url, base: base, resources: resources)
        inputs = []
        audioLabels = []
        var dates: [DiscontinuityDates] = []
        switch parsed.playlist {
        case .media(let playlist): try add(playlist, at: location, audioLabel: nil)
        case .multivariant(var playlist):
            playlist.removeUnavailable { uri in
                (try? Self.resolved(uri, against: location)).map { isAvailable(Self.known($0)) } ?? false
            }
            let media = MediaTimes { uri in
                (try? Self.resolved(uri, against: location)).flatMap { url in
                    try? Self.load(url, variables: parsed.variables, resources: resources)
                }?.0.playlist
            }
            let found = playlist.variants(choice.variants)
            let candidates = choice.prefersMostCompleteVariant ? media.longest(found, in: playlist) : found
            guard let variant = candidates.max(by: { $0.bandwidth < $1.bandwidth }) else {
                throw ContainerError(
                    .unsupported, "\(url) has no variant stream that matches the options",
                    advice: "`inspect` lists the variant streams")
            }
            self.variant = Self.describe(variant)
            for (uri, audioLabel) in Self.playlists(of: variant, in: playlist, choice, media) {
                let resolved = try Self.resolved(uri, against: location)
                let (media, place) = try Self.load(resolved, variables: parsed.variables, resources: resources)
                guard case .media(let media) = media.playlist else {
                    throw ContainerError(
                        .malformed, "\(resolved) is a multivariant playlist, but \(url) lists it as a media playlist")
                }
                try add(media, at: place, audioLabel: audioLabel)
                dates.append(DiscontinuityDates(of: media))
            }
            guard choice.includesSubtitles else { break }
            for rendition in playlist.renditions(.subtitles, of: variant) {
                let found = Self.subtitles(rendition, at: location, variables: parsed.variables, resources: resources)
                if let found { subtitles.append(found) }
            }
        }
        guard inputs.contains(where: { !$0.isEmpty }) else {
            throw ContainerError(.malformed, "\(url): the playlist has no media segments")
        }
        countDiscontinuitiesFromZero(dates)
    }

    /// Returns the playlists to play together: that of the variant stream, then those of its audio renditions,
    /// beginning with the default one.
    private static func playlists(
        of variant: VariantStream, in playlist: MultivariantPlaylist, _ choice: StreamChoice, _ media: MediaTimes
    ) -> [(uri: String, audioLabel: TrackLabel?)] {
        let renditions = playlist.renditions(.audio, of: variant)
        var selected = playlist.rendition(.audio, of: variant, language: choice.language).map { [$0] } ?? []
        if choice.prefersMostCompleteVariant, choice.language == nil, let first = selected.first {
            let uri = { (rendition: Rendition) in rendition.uri ?? variant.uri }
            if media.hasNegligibleMedia(first, of: renditions, uri: uri) {
                selected = Array(media.longest(renditions, uri: uri).prefix(1))
            }
        }
        if choice.includesAllAudio { selected += renditions.filter { $0 != selected.first } }
        func label(_ rendition: Rendition) -> TrackLabel {
            TrackLabel(language: rendition.language, name: rendition.name, isDefault: rendition == selected.first)
        }
        // The audio of renditions without a playlist is in the variant stream's segments. If there are several, they
        // can't be distinguished.
        let inside = renditions.filter { $0.uri == nil || $0.uri == variant.uri }
        let isDefault = selected.first.map(inside.contains) ?? false
        let first = inside.count == 1 ? inside.first.map(label) : isDefault ? TrackLabel(isDefault: true) : nil
        var found: [(uri: String, audioLabel: TrackLabel?)] = [(variant.uri, first)]
        for rendition in selected {
            guard let uri = rendition.uri, !found.contains(where: { $0.uri == uri }) else { continue }
            found.append((uri, label(rendition)))
        }
        return found
    }

    /// Renumbers discontinuities from zero. Playlists of one stream use the same numbers (RFC 8216bis §6.2.4). If they
    /// have no number in common, each input is renumbered separately.
    ///
    /// - Parameter dates: The dates of the inputs' media. If equal numbers have different dates, an input's numbers are
    ///   shifted to match those of the first input.
    private mutating func countDiscontinuitiesFromZero(_ dates: [DiscontinuityDates]) {
        for (input, own) in dates.enumerated().dropFirst() {
            let shift = own.shift(to: dates[0])
            for part in inputs[input].indices { inputs[input][part].discontinuities += shift }
        }
        let numbers = inputs.filter { !$0.isEmpty }.map { Set($0.map(\.discontinuities)) }
        let common = numbers.dropFirst().reduce(numbers.first ?? []) { $0.intersection($1) }
        let first = numbers.joined().min() ?? 0
        for input in inputs.indices {
            let own = inputs[input].first?.discontinuities ?? 0
            for part in inputs[input].indices { inputs[input][part].discontinuities -= common.isEmpty ? own : first }
        }
    }

    /// Loads a playlist. Returns it with the URL against which its references are resolved.
    static func load(
        _ url: String, base: String? = nil, variables: [String: String] = [:], resources: some StreamResources
    ) throws(ContainerError) -> (ParsedPlaylist, location: String) {
        let (bytes, location) = try resources.contents(of: url, limit: maximumPlaylistLength)
        let context = PlaylistContext(playlistURL: base ?? location, importableVariables: variables)
        do {
            let parser = PlaylistParser(context: context, inflate: { try Inflater.inflatePlaylist($0, limit: $1) })
            return (try parser.parse(bytes), base ?? location)
        } catch {
            guard case .notAPlaylist(let content) = error else { throw ContainerError(.malformed, "\(url): \(error)") }
            throw ContainerError(.notThisFormat, "\(url) isn't a playlist; it is \(content)")
        }
    }

    /// Returns the subtitles of a rendition. An error is stored in `problem`, because the media is usable without them.
    private static func subtitles(
        _ rendition: Rendition, at location: String, variables: [String: String], resources: some StreamResources
    ) -> SubtitleRendition? {
        guard let uri = rendition.uri else { return nil }
        var subtitles = SubtitleRendition(
            language: rendition.language, name: rendition.name, isForced: rendition.isForced, parts: [])
        do throws(ContainerError) {
            let (parsed, place) = try load(
                try resolved(uri, against: location), variables: variables, resources: resources)
            guard case .media(let playlist) = parsed.playlist else { return nil }
            subtitles.parts = try parts(of: playlist, at: place).parts
            if subtitles.parts.contains(where: { $0.section != nil }) { subtitles.problem = "not WebVTT" }
        } catch {
            subtitles.problem = error.summary
        }
        return subtitles
    }

    private mutating func add(
        _ playlist: MediaPlaylist, at location: String, audioLabel: TrackLabel?
    ) throws(ContainerError) {
        let (parts, gaps) = try Self.parts(of: playlist, at: location)
        inputs.append(parts)
        locations.append(location)
        self.gaps += gaps
        audioLabels.append(audioLabel)
        duration = max(duration, Double(playlist.segmentIntervals.last?.end ?? 0) / 1e9)
        if !playlist.hasEndList { isLive = true }
    }

    private static func parts(
        of playlist: MediaPlaylist, at location: String
    ) throws(ContainerError) -> (parts: [StreamPart], gaps: [MovieGap]) {
        guard !playlist.hasIFramesOnly else {
            throw ContainerError(
                .unsupported, "\(location) is an I-frame playlist", advice: "Use the playlist of the whole stream")
        }
        var parts: [StreamPart] = []
        var gaps: [MovieGap] = []
        var firstObstacle: ContainerError?
        var join = SegmentJoin.continuous
        var discontinuities = 0
        for (resolved, interval) in zip(playlist.resolvedSegments, playlist.segmentIntervals) {
            let segment = resolved.segment
            if segment.isDiscontinuous {
                join = .discontinuity
                discontinuities += 1
            }
            guard !segment.isGap else {
                if join == .continuous { join = .gap }
                gaps.append(
                    MovieGap(.lost, start: Double(interval.start) / 1e9, duration: Double(interval.duration) / 1e9))
                continue
            }
            let start = Double(interval.start) / 1e9
            do throws(ContainerError) {
                let (made, obstacle) = try Self.part(
                    resolved, interval, at: location, join: parts.isEmpty ? .continuous : join)
                var part = made
                // Greater numbers aren't plausible, and might cause an overflow.
                part.discontinuities = max(0, min(playlist.discontinuitySequence, 1 << 40)) + discontinuities
                part.obstacle = obstacle?.summary
                parts.append(part)
                if firstObstacle == nil { firstObstacle = obstacle.map { Self.located($0, start) } }
            } catch {
                throw located(error, start)
            }
            join = .continuous
        }
        if let firstObstacle, parts.allSatisfy({ $0.obstacle != nil }) { throw firstObstacle }
        return (parts, gaps)
    }

    private static func located(_ error: ContainerError, _ start: Double) -> ContainerError {
        var error = error
        error.summary = "the segment at \(Int(start)) s: \(error.summary)"
        return error
    }

    /// Returns the part of a segment, and the reason if it can't be decrypted.
    static func part(
        _ resolved: ResolvedSegment, _ interval: MediaPlaylist.SegmentInterval, at location: String, join: SegmentJoin
    ) throws(ContainerError) -> (part: StreamPart, obstacle: ContainerError?) {
        let segment = resolved.segment
        var part = StreamPart(
            url: try Self.resolved(segment.uri, against: location),
            range: resolved.byteRange.map { Int64($0.lowerBound)..<Int64($0.upperBound) }, section: nil, key: nil,
            join: join, discontinuities: 0, start: Double(interval.start) / 1e9,
            duration: Double(interval.duration) / 1e9)
        part.isSegment = true
        do throws(ContainerError) {
            part.key = try key(of: segment.keys, resolved.mediaSequence, location)
            if let map = segment.map {
                part.section = StreamPart.Section(
                    url: try Self.resolved(map.uri, against: location), range: map.byteRange.flatMap(bytes),
                    key: try key(of: map.keys, resolved.mediaSequence, location))
            }
        } catch {
            guard error.code == .encrypted else { throw error }
            return (part, error)
        }
        return (part, nil)
    }

    private static func key(
        of keys: [EncryptionKey], _ mediaSequence: Int, _ location: String
    ) throws(ContainerError) -> SegmentKey? {
        var key = try SegmentKey.usable(of: keys, mediaSequence: mediaSequence)
        if let url = key?.url, DataURL.bytes(of: url) == nil { key?.url = try resolved(url, against: location) }
        return key
    }

    /// Returns the byte range of a media initialization section. The offset is 0 by default (RFC 8216bis §4.4.4.5).
    private static func bytes(_ range: ByteRange) -> Range<Int64>? {
        let (end, overflow) = (range.offset ?? 0).addingReportingOverflow(range.length)
        return overflow || range.length < 0 ? nil : Int64(range.offset ?? 0)..<Int64(end)
    }

    /// Resolves a reference. Playlists from a network must not refer to local files.
    static func resolved(_ uri: String, against base: String) throws(ContainerError) -> String {
        let resolved = URLReference(uri).resolved(against: URLReference(base)).description
        guard resolved.lowercased().hasPrefix("http") || base.hasPrefix("file:") else {
            throw ContainerError(.malformed, "the playlist refers to “\(uri)”, which isn't an HTTP URL")
        }
        return resolved
    }

    /// Returns a URL in the normalized form of `ResourceURL`, so that equivalent URLs are equal.
    private static func known(_ url: String) -> String { (try? ResourceURL(url))?.description ?? url }

    private static func describe(_ variant: VariantStream) -> String {
        let size = variant.resolution.map { "\($0.width) × \($0.height), " } ?? ""
        return "\(size)\(variant.bandwidth / 1000) kbit/s"
    }
}
