import HLS
internal import MediaCache
public import MediaContainers

/// What a stream or files are remuxed from: inputs side by side, each a list of parts in order.
public struct StreamPlan: Sendable, Hashable {
    /// The largest playlist that is read.
    private static var largestPlaylist: Int { PlaylistParser.Limits().playlistLength }

    /// The parts of each input: pictures (and their sound) first, then audio renditions.
    ///
    /// Segments that a playlist calls absent (EXT-X-GAP) are no parts; between others their time stays. Before the first
    /// and behind the last nothing keeps it.
    public var inputs: [[StreamPart]]
    /// What the playlist says of the sound of each input; nil where it says nothing.
    public var sounds: [TrackLabel?]
    /// The subtitles of a stream, where they are wanted.
    public var subtitles: [SubtitleRendition] = []
    /// How long it lasts in seconds, by the playlist's durations; 0 where nothing says.
    public var duration: Double = 0
    /// The variant stream that was chosen, in words; nil where there was no choice.
    public var variant: String?
    /// Whether the playlist may still grow: only what it names now is taken.
    public var isLive = false

    /// A plan of files.
    public init(inputs: [[StreamPart]]) {
        self.inputs = inputs
        sounds = inputs.map { _ in nil }
    }

    /// Plans one after the other, which have as many inputs each.
    public init(joining plans: [StreamPlan]) {
        inputs = (plans.first?.inputs ?? []).map { _ in [] }
        sounds = inputs.indices.map { index in
            let all = Set(plans.map { $0.sounds.indices.contains(index) ? $0.sounds[index] : nil })
            return all.count == 1 ? all.first ?? nil : nil
        }
        for plan in plans {
            let before = inputs.joined().map(\.discontinuities).max().map { $0 + 1 } ?? 0
            for (index, parts) in plan.inputs.prefix(inputs.count).enumerated() {
                var parts = parts
                // A stream's clock is its own. Files may be parts of one recording.
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
            duration += plan.duration
        }
    }

    /// A plan of a stream.
    ///
    /// - Parameters:
    ///   - url: where a multivariant or media playlist is.
    ///   - choice: what is taken of a multivariant one.
    ///   - base: what its references resolve against; nil is where it came from.
    ///   - resources: where playlists are read.
    ///   - isAvailable: whether a media playlist's stream can be read, by the playlist's URL as `ResourceURL` writes it;
    ///     of variant streams and renditions only such are taken, unless there are none.
    /// - Throws: `ContainerError`: `notThisFormat` for what is no playlist, `encrypted` for what can't be decrypted,
    ///   `malformed`, `unsupported`, and what `resources` throws.
    public init(
        playlist url: String, choice: StreamChoice = StreamChoice(), base: String? = nil,
        resources: some StreamResources, isAvailable: (String) -> Bool = { _ in true }
    ) throws(ContainerError) {
        let (parsed, location) = try Self.load(url, base: base, resources: resources)
        inputs = []
        sounds = []
        switch parsed.playlist {
        case .media(let playlist):
            try add(playlist, at: location, sound: nil)
        case .multivariant(var playlist):
            playlist.keep { uri in
                (try? Self.resolved(uri, against: location)).map { isAvailable(Self.known($0)) } ?? false
            }
            guard let variant = playlist.variants(choice.variants + [.highest]).first else {
                throw ContainerError(
                    .unsupported, "\(url): no variant stream is like that", advice: "`inspect` lists what is there")
            }
            self.variant = Self.describe(variant)
            for (uri, sound) in Self.playlists(of: variant, in: playlist, choice) {
                let resolved = try Self.resolved(uri, against: location)
                let (media, place) = try Self.load(resolved, variables: parsed.variables, resources: resources)
                guard case .media(let media) = media.playlist else {
                    throw ContainerError(.malformed, "\(resolved): a multivariant playlist in another")
                }
                try add(media, at: place, sound: sound)
            }
            guard choice.takesSubtitles else { break }
            for rendition in playlist.renditions(.subtitles, of: variant) {
                let found = Self.subtitles(
                    rendition, at: location, variables: parsed.variables, resources: resources)
                if let found { subtitles.append(found) }
            }
        }
        guard inputs.contains(where: { !$0.isEmpty }) else {
            throw ContainerError(.malformed, "\(url): the playlist has no media segments")
        }
        countDiscontinuitiesFromZero()
    }

    /// The playlists that are played together: the variant's, then those of its sound, that to play first.
    private static func playlists(
        of variant: VariantStream, in playlist: MultivariantPlaylist, _ choice: StreamChoice
    ) -> [(uri: String, sound: TrackLabel?)] {
        let renditions = playlist.renditions(.audio, of: variant)
        var taken = playlist.rendition(.audio, of: variant, language: choice.language).map { [$0] } ?? []
        if choice.takesAllAudio {
            if taken.isEmpty { taken = Array(renditions.prefix(1)) }
            taken += renditions.filter { $0 != taken.first }
        }
        func label(_ rendition: Rendition) -> TrackLabel {
            TrackLabel(language: rendition.language, name: rendition.name, isDefault: rendition == taken.first)
        }
        // Sound without a playlist of its own is in the variant's segments; of several, these don't say which is which.
        let inside = renditions.filter { $0.uri == nil || $0.uri == variant.uri }
        let isDefault = taken.first.map(inside.contains) ?? false
        let first = inside.count == 1 ? inside.first.map(label) : isDefault ? TrackLabel(isDefault: true) : nil
        var found: [(uri: String, sound: TrackLabel?)] = [(variant.uri, first)]
        for rendition in taken {
            guard let uri = rendition.uri, !found.contains(where: { $0.uri == uri }) else { continue }
            found.append((uri, label(rendition)))
        }
        return found
    }

    /// Playlists of one stream count discontinuities alike (RFC 8216bis, 6.2.1); where they have no number in common,
    /// each counts by itself.
    private mutating func countDiscontinuitiesFromZero() {
        let numbers = inputs.filter { !$0.isEmpty }.map { Set($0.map(\.discontinuities)) }
        let common = numbers.dropFirst().reduce(numbers.first ?? []) { $0.intersection($1) }
        let first = numbers.joined().min() ?? 0
        for input in inputs.indices {
            let own = inputs[input].first?.discontinuities ?? 0
            for part in inputs[input].indices {
                inputs[input][part].discontinuities -= common.isEmpty ? own : first
            }
        }
    }

    private static func load(
        _ url: String, base: String? = nil, variables: [String: String] = [:], resources: some StreamResources
    ) throws(ContainerError) -> (ParsedPlaylist, location: String) {
        let (bytes, location) = try resources.contents(of: url, limit: largestPlaylist)
        let context = PlaylistContext(playlistURL: base ?? location, importableVariables: variables)
        do {
            let parser = PlaylistParser(context: context, inflate: { try Inflater.inflate($0, limit: $1) })
            return (try parser.parse(bytes), base ?? location)
        } catch {
            guard case .notAPlaylist(let content) = error else {
                throw ContainerError(.malformed, "\(url): \(error)")
            }
            throw ContainerError(.notThisFormat, "\(url) isn't a playlist; it is \(content)")
        }
    }

    /// A film is whole without its subtitles: what is wrong with them is only told.
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
            subtitles.parts = try parts(of: playlist, at: place)
            if subtitles.parts.contains(where: { $0.section != nil }) { subtitles.problem = "they aren't WebVTT" }
        } catch {
            subtitles.problem = error.what
        }
        return subtitles
    }

    private mutating func add(
        _ playlist: MediaPlaylist, at location: String, sound: TrackLabel?
    ) throws(ContainerError) {
        inputs.append(try Self.parts(of: playlist, at: location))
        sounds.append(sound)
        duration = max(duration, Double(playlist.durationNanoseconds) / 1e9)
        if !playlist.hasEndList { isLive = true }
    }

    private static func parts(
        of playlist: MediaPlaylist, at location: String
    ) throws(ContainerError) -> [StreamPart] {
        guard !playlist.hasIFramesOnly else {
            throw ContainerError(.unsupported, "\(location): a playlist of I-frames", advice: "Take the whole stream")
        }
        var parts: [StreamPart] = []
        var join = SegmentJoin.continuous
        var discontinuities = 0
        for resolved in playlist.resolvedSegments {
            let segment = resolved.segment
            if segment.isDiscontinuous {
                join = .discontinuity
                discontinuities += 1
            }
            guard !segment.isGap else {
                if join == .continuous { join = .gap }
                continue
            }
            let start = Double(resolved.startNanoseconds) / 1e9
            do throws(ContainerError) {
                var part = try Self.part(resolved, at: location, join: parts.isEmpty ? .continuous : join)
                // More than this is no count.
                part.discontinuities = max(0, min(playlist.discontinuitySequence, 1 << 40)) + discontinuities
                parts.append(part)
            } catch {
                var error = error
                error.what = "the segment at \(Int(start)) s: \(error.what)"
                throw error
            }
            join = .continuous
        }
        return parts
    }

    private static func part(
        _ resolved: ResolvedSegment, at location: String, join: SegmentJoin
    ) throws(ContainerError) -> StreamPart {
        let segment = resolved.segment
        var section: StreamPart.Section?
        if let map = segment.map {
            section = StreamPart.Section(
                url: try Self.resolved(map.uri, against: location), range: map.byteRange.flatMap(bytes),
                key: try key(of: map.keys, resolved.mediaSequence, location))
        }
        return StreamPart(
            url: try Self.resolved(segment.uri, against: location),
            range: resolved.byteRange.map { Int64($0.lowerBound)..<Int64($0.upperBound) }, section: section,
            key: try key(of: segment.keys, resolved.mediaSequence, location), join: join, discontinuities: 0,
            start: Double(resolved.startNanoseconds) / 1e9, duration: Double(segment.duration.nanoseconds) / 1e9)
    }

    private static func key(
        of keys: [EncryptionKey], _ mediaSequence: Int, _ location: String
    ) throws(ContainerError) -> SegmentKey? {
        var key = try SegmentKey.usable(of: keys, mediaSequence: mediaSequence)
        if let url = key?.url, DataURL.bytes(of: url) == nil { key?.url = try resolved(url, against: location) }
        return key
    }

    /// The bytes of a media initialization section: from the beginning, where it doesn't say (RFC 8216bis, 4.4.4.5).
    private static func bytes(_ range: ByteRange) -> Range<Int64>? {
        let (end, overflow) = (range.offset ?? 0).addingReportingOverflow(range.length)
        return overflow || range.length < 0 ? nil : Int64(range.offset ?? 0)..<Int64(end)
    }

    /// What a reference names. What came from afar names no files of this machine.
    private static func resolved(_ uri: String, against base: String) throws(ContainerError) -> String {
        let resolved = URLReference(uri).resolved(against: URLReference(base)).description
        guard resolved.lowercased().hasPrefix("http") || base.hasPrefix("file:") else {
            throw ContainerError(.malformed, "the playlist names “\(uri)”, which isn't asked for by HTTP")
        }
        return resolved
    }

    /// A URL as the store has it: one name for each of the ways in which it may be written.
    private static func known(_ url: String) -> String { (try? ResourceURL(url))?.description ?? url }

    private static func describe(_ variant: VariantStream) -> String {
        let size = variant.resolution.map { "\($0.width) × \($0.height), " } ?? ""
        return "\(size)\(variant.bandwidth / 1000) kbit/s"
    }
}
