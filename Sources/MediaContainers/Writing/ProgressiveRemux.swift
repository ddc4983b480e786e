/// A plan that rearranges an MP4, QuickTime or fragmented MP4 file into a progressive MP4 with its index at the front.
///
/// Descriptive metadata and artwork are copied. Tracks that MP4 can't carry are omitted and reported. The bytes of the
/// samples remain in the source, so the new file can be read without being written.
public struct ProgressiveRemux: Sendable {
    /// The composition of the new file.
    public let layout: ByteLayout
    /// The omitted tracks by their index in the source, with the reasons.
    public let omittedTracks: [Int: ContainerError]

    /// Plans the new file. Throws when the source file is damaged or MP4 can carry none of its tracks.
    public init<Source: ByteSource>(_ reader: MP4Reader<Source>) throws(ContainerError) {
        var builder = MovieBuilder()
        builder.items = try reader.itemList()
        var targets: [Int: Int] = [:]
        var omittedTracks: [Int: ContainerError] = [:]
        for (index, track) in reader.tracks.enumerated() {
            do throws(ContainerError) {
                var entries: [UInt8] = []
                for format in track.formats { try SampleEntryWriter.append(format, to: &entries) }
                targets[index] = try builder.add(track)
            } catch {
                omittedTracks[index] = error
            }
        }
        guard !targets.isEmpty else {
            throw omittedTracks.values.first ?? ContainerError(.malformed, "the file has no tracks")
        }
        // If an edit list cuts audio inside a frame, the frame begins before zero. Presentation still starts at zero.
        var startsBeforeZero = false
        var media = ByteLayout()
        var samples = try reader.samples()
        while var sample = try samples.next() {
            guard let target = targets[sample.track] else { continue }
            guard sample.offset.addingClamped(Int64(sample.size)) <= reader.source.length else {
                throw ContainerError(
                    .truncated, "sample of \(sample.size) bytes extends past the end of the file", at: sample.offset)
            }
            if sample.pts < 0, !sample.isHidden { startsBeforeZero = true }
            sample.track = target
            try builder.add(sample)
            media.append(.source(sample.offset..<sample.offset + Int64(sample.size)))
        }
        if startsBeforeZero { builder.start = (0, 1) }
        for (index, target) in targets {
            guard let end = reader.movie.shownEnd(ofTrack: index) else { continue }
            builder.setShownEnd(end, ofTrack: target)
        }
        var layout = ByteLayout([.generated(try builder.progressiveLayout().head)])
        for piece in media.pieces { layout.append(piece) }
        self.layout = layout
        self.omittedTracks = omittedTracks
    }
}
