package import MediaContainers

/// A writer of clips for the extraction of single frames. A clip contains the few frames that a decoder needs to
/// display the media at a given time, and starts with the frame at that time. Of an MP4, only the index and the
/// bytes of these frames are read.
package enum FrameClip {
    /// Writes the clip for a time in seconds from the beginning of an MP4 to an empty file. Returns whether there is a
    /// frame at that time or later.
    ///
    /// - Throws: `ContainerError`: errors of the source; `limitExceeded` if a frame depends on too many others;
    ///   `unsupported` or `encrypted` if the frames can't be written.
    package static func write<Source: ByteSource>(
        _ reader: MP4Reader<Source>, at time: Double, to file: some RandomAccessSink
    ) throws(ContainerError) -> Bool {
        guard let index = videoTrack(reader.tracks) else { return false }
        let track = reader.tracks[index]
        var group = FrameGroup<Void>(at: Self.ticks(time, track))
        var samples = try reader.samples()
        while !group.isComplete, let sample = try samples.next() {
            if sample.track == index { try group.add(sample, ()) }
        }
        return try group.write(track, to: file) { (sample, _) throws(ContainerError) in
            let end = sample.offset.addingReportingOverflow(Int64(sample.size))
            guard !end.overflow else {
                throw ContainerError(.malformed, "the frame at byte \(sample.offset) has an invalid size")
            }
            return try reader.source.bytes(sample.offset..<end.partialValue, limit: FrameGroup<Void>.maximumBytes)
        }
    }

    /// Writes the clip for a time in seconds from the beginning of a stream, or of another file that can be remuxed, to
    /// an empty file. Parts that can't be read are skipped. Returns whether there is a frame at that time or later.
    /// Throws the errors of `StreamRemux`, and `limitExceeded` if a frame depends on too many others.
    package static func write<Resources: StreamResources>(
        _ plan: StreamPlan, from resources: Resources, at time: Double, to file: some RandomAccessSink
    ) throws(ContainerError) -> Bool {
        var remux = StreamRemux(plan, resources: resources)
        remux.missingParts = .leaveGaps
        remux.limit(from: time, to: nil)
        let sink = FrameSink(at: time)
        do throws(ContainerError) {
            _ = try remux.run(into: sink)
        } catch {
            guard sink.isComplete else { throw error }
        }
        guard let (track, group) = sink.found else { return false }
        return try group.write(track, to: file) { (_, bytes) throws(ContainerError) in bytes }
    }

    fileprivate static func videoTrack(_ tracks: [MediaTrack]) -> Int? {
        tracks.firstIndex { $0.kind == .video && $0.isSupported }
    }

    fileprivate static func ticks(_ time: Double, _ track: MediaTrack) -> Int64 {
        Timescale.ticks(of: time, in: track.timescale)
    }
}

/// The frames from the last key frame at or before a given time to the first frame displayed at that time or later.
private struct FrameGroup<Bytes> {
    static var maximumBytes: Int { 256 << 20 }
    private static var maximumFrames: Int { 20_000 }

    /// The given time, in the timescale of the track.
    private let target: Int64
    private var frames: [(sample: MediaSample, bytes: Bytes)] = []
    private var size = 0
    /// The presentation time of the first frame at the given time or later.
    private var shown: Int64?
    private(set) var isComplete = false

    init(at target: Int64) { self.target = target }

    mutating func add(_ sample: MediaSample, _ bytes: @autoclosure () -> Bytes) throws(ContainerError) {
        // This frame and all later ones are displayed after the shown frame, so they aren't needed.
        if let shown, sample.dts > shown { isComplete = true }
        guard !isComplete else { return }
        if sample.isSync, sample.pts <= target { (frames, size) = ([], 0) }
        size += max(0, sample.size)
        guard frames.count < Self.maximumFrames, size <= Self.maximumBytes else {
            throw ContainerError(.limitExceeded, "\(frames.count) frames (\(size) bytes) without a key frame")
        }
        frames.append((sample, bytes()))
        if !sample.isHidden, sample.pts >= target { shown = min(shown ?? .max, sample.pts) }
    }

    func write(
        _ track: MediaTrack, to file: some RandomAccessSink,
        _ read: (MediaSample, Bytes) throws(ContainerError) -> [UInt8]
    ) throws(ContainerError) -> Bool {
        guard let shown else { return false }
        var writer = MovieFileWriter(file)
        try writer.tracks([track])
        for (sample, bytes) in frames {
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

/// A sink that collects the frames for a given time, and ends reading once they're complete.
private final class FrameSink: SampleSink {
    private let time: Double
    private var media: [MediaTrack] = []
    private var videoIndex: Int?
    /// The beginning of presentation, in seconds.
    private var zero = Double.infinity
    private var group: FrameGroup<[UInt8]>?

    init(at time: Double) { self.time = time }

    var isComplete: Bool { group?.isComplete == true }

    var found: (MediaTrack, FrameGroup<[UInt8]>)? {
        guard let group, let videoIndex else { return nil }
        return (media[videoIndex], group)
    }

    func tracks(_ tracks: [MediaTrack]) {
        media = tracks
        videoIndex = videoIndex ?? FrameClip.videoTrack(tracks)
    }

    func sample(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) throws(ContainerError) {
        guard media.indices.contains(sample.track) else { return }
        let track = media[sample.track]
        if group == nil, !sample.isHidden { zero = min(zero, Double(sample.pts) / Double(track.timescale)) }
        guard sample.track == videoIndex else { return }
        var current = group ?? FrameGroup(at: FrameClip.ticks(time + (zero.isFinite ? zero : 0), track))
        group = nil
        try current.add(sample, Array(bytes))
        group = current
        // Throwing is the only way for a sink to end reading. The caller ignores the error.
        if current.isComplete { throw ContainerError(.malformed, "the frame is complete") }
    }
}
