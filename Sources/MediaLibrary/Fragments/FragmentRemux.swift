package import MediaContainers

/// A remux of single segments to fragmented MP4. Each segment is read on its own, whatever the order, and its times
/// are those of its own clock.
package struct FragmentRemux<Resources: StreamResources> {
    private var reader: PartReader<Resources>

    /// Creates a remux of parts that are read from `resources`.
    package init(_ resources: Resources) { reader = PartReader(resources) }

    /// Returns one track of a segment; nil if the segment has no samples of it.
    ///
    /// - Parameters:
    ///   - ordinal: The position of the track among those of its kind, from 0.
    /// - Throws: `ContainerError`: `encrypted`, `unsupported` or `malformed` if no sample can be read; the errors of the
    ///   resources and of `FragmentSink`.
    package mutating func fragment(
        of part: StreamPart, kind: MediaKind, ordinal: Int = 0
    ) throws(ContainerError) -> MediaFragment? {
        var remuxer = try remux(part, into: FragmentSink(kind: kind, ordinal: ordinal))
        var sink = try remuxer.finish()
        return try sink.finish()
    }

    /// Returns the audio and video tracks of a segment, with all formats that it contains. Tracks that aren't supported
    /// come last.
    package mutating func tracks(of part: StreamPart) throws(ContainerError) -> [MediaTrack] {
        var remuxer = try remux(part, into: TrackListing())
        _ = try remuxer.finish()
        let omitted = remuxer.omittedTracks.filter { $0.kind != .data }
        return (remuxer.tracks + omitted).filter { $0.kind == .video || $0.kind == .audio }
    }

    private mutating func remux<Output: SampleSink>(
        _ part: StreamPart, into output: Output
    ) throws(ContainerError) -> Remuxer<Output> {
        let (movie, bytes) = try reader.open(part)
        var remuxer = Remuxer(into: output, keepsLeadingFrames: true)
        let damage = try remuxer.append(bytes, initialization: movie, toleratesDamage: true)
        if let damage, damage.isEmpty { throw damage.error }
        return remuxer
    }
}

extension MediaTrack {
    /// The reason why MP4 can't carry the track; nil if it can.
    package var obstacle: String? {
        guard isSupported else { return "\(format?.name ?? "the codec") isn't supported" }
        do throws(ContainerError) {
            var writer = FragmentedMovieWriter()
            _ = writer.add(self)
            _ = try writer.initializationSection()
            return nil
        } catch {
            return error.summary
        }
    }
}
