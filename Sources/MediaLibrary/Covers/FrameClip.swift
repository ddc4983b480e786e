package import MediaContainers

/// A writer of the few pictures that a decoder needs for one moment of a film, as a separate film whose first displayed
/// picture is that of the moment.
///
/// The decoder reads this clip, and thus needs no access to the film's source. Of a partially cached film, only the
/// index and the bytes of these pictures are read.
package enum FrameClip {
    /// Writes the clip from an MP4.
    ///
    /// - Parameters:
    ///   - reader: The film.
    ///   - time: The moment in seconds from the beginning of the film.
    ///   - file: An empty file.
    /// - Returns: Whether the film has a picture at that moment or later.
    /// - Throws: `ContainerError`: errors of the source; `limitExceeded` if a picture depends on too many others;
    ///   `unsupported` and `encrypted` if the pictures can't be written.
    package static func write<Source: ByteSource>(
        _ reader: MP4Reader<Source>, at time: Double, to file: some RandomAccessSink
    ) throws(ContainerError) -> Bool {
        guard let index = pictureTrack(reader.tracks) else { return false }
        let track = reader.tracks[index]
        var group = FrameGroup<Void>(at: Self.ticks(time, track))
        var samples = try reader.samples()
        while !group.isComplete, let sample = try samples.next() {
            if sample.track == index { try group.add(sample, ()) }
        }
        return try group.write(track, to: file) { (sample, _) throws(ContainerError) in
            let end = sample.offset.addingReportingOverflow(Int64(sample.size))
            guard !end.overflow else { throw ContainerError(.malformed, "a picture at byte \(sample.offset)") }
            return try reader.source.bytes(sample.offset..<end.partialValue, limit: FrameGroup<Void>.maximumBytes)
        }
    }

    /// Writes the clip from a stream, or from another file that can be remuxed.
    ///
    /// - Parameters:
    ///   - plan: The plan of the film.
    ///   - resources: The source of its parts. Unreadable parts are skipped.
    ///   - time: The moment in seconds from the beginning of the film.
    ///   - file: An empty file.
    /// - Returns: Whether the film has a picture at that moment or later.
    /// - Throws: The errors of `StreamRemux`; `limitExceeded` if a picture depends on too many others.
    package static func write<Resources: StreamResources>(
        _ plan: StreamPlan, from resources: Resources, at time: Double, to file: some RandomAccessSink
    ) throws(ContainerError) -> Bool {
        var remux = StreamRemux(plan, resources: resources)
        remux.missingParts = .leaveGaps
        remux.take(from: time, to: nil)
        let sink = FrameSink(at: time)
        do throws(ContainerError) {
            _ = try remux.run(into: sink)
        } catch {
            guard sink.isComplete else { throw error }
        }
        guard let (track, group) = sink.found else { return false }
        return try group.write(track, to: file) { (_, bytes) throws(ContainerError) in bytes }
    }

    fileprivate static func pictureTrack(_ tracks: [MediaTrack]) -> Int? {
        tracks.firstIndex { $0.kind == .video && $0.isRead }
    }

    fileprivate static func ticks(_ time: Double, _ track: MediaTrack) -> Int64 {
        Timescale.ticks(of: time, in: track.timescale)
    }
}

/// The pictures from the last key picture before a moment to the first picture displayed at that moment or later.
private struct FrameGroup<Bytes> {
    static var maximumBytes: Int { 256 << 20 }
    private static var maximumPictures: Int { 20_000 }

    /// The moment, in the timescale of the track.
    private let moment: Int64
    private var pictures: [(sample: MediaSample, bytes: Bytes)] = []
    private var size = 0
    /// The presentation time of the first picture at that moment or later.
    private var shown: Int64?
    /// Whether all pictures are available.
    private(set) var isComplete = false

    init(at moment: Int64) { self.moment = moment }

    mutating func add(_ sample: MediaSample, _ bytes: @autoclosure () -> Bytes) throws(ContainerError) {
        // A picture decoded after that time isn't needed.
        if let shown, sample.dts > shown { isComplete = true }
        guard !isComplete else { return }
        if sample.isSync, sample.pts <= moment { (pictures, size) = ([], 0) }
        size += max(0, sample.size)
        guard pictures.count < Self.maximumPictures, size <= Self.maximumBytes else {
            throw ContainerError(.limitExceeded, "\(pictures.count) pictures of \(size) bytes without a key picture")
        }
        pictures.append((sample, bytes()))
        if !sample.isHidden, sample.pts >= moment { shown = min(shown ?? .max, sample.pts) }
    }

    /// Writes the pictures, so that the first one displayed is that of the moment.
    func write(
        _ track: MediaTrack, to file: some RandomAccessSink,
        _ read: (MediaSample, Bytes) throws(ContainerError) -> [UInt8]
    ) throws(ContainerError) -> Bool {
        guard let shown else { return false }
        var writer = MovieFileWriter(file)
        try writer.tracks([track])
        for (sample, bytes) in pictures {
            var sample = sample
            sample.track = 0
            sample.isHidden = false
            let content = try read(sample, bytes)
            let result = content.withUnsafeBytes { bytes in
                Result { () throws(ContainerError) in try writer.sample(sample, bytes: bytes) }
            }
            try result.get()
        }
        writer.builder.start = (shown, track.timescale)
        _ = try writer.finish()
        return true
    }
}

/// A sink that collects samples until the pictures of a moment are complete.
private final class FrameSink: SampleSink {
    private let time: Double
    private var media: [MediaTrack] = []
    private var picture: Int?
    /// The beginning of presentation, in seconds.
    private var zero = Double.infinity
    private var group: FrameGroup<[UInt8]>?

    init(at time: Double) { self.time = time }

    var isComplete: Bool { group?.isComplete == true }

    var found: (MediaTrack, FrameGroup<[UInt8]>)? {
        guard let group, let picture else { return nil }
        return (media[picture], group)
    }

    func tracks(_ tracks: [MediaTrack]) {
        media = tracks
        picture = picture ?? FrameClip.pictureTrack(tracks)
    }

    func sample(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) throws(ContainerError) {
        guard media.indices.contains(sample.track) else { return }
        let track = media[sample.track]
        if group == nil, !sample.isHidden { zero = min(zero, Double(sample.pts) / Double(track.timescale)) }
        guard sample.track == picture else { return }
        var current = group ?? FrameGroup(at: FrameClip.ticks(time + (zero.isFinite ? zero : 0), track))
        group = nil
        try current.add(sample, Array(bytes))
        group = current
        // The error ends the reading of the stream.
        if current.isComplete { throw ContainerError(.malformed, "the picture is complete") }
    }
}
