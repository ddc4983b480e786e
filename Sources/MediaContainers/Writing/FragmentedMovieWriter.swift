/// A writer of fragmented MP4: a media initialization section, then fragments (ISO/IEC 14496-12, 8.8; RFC 8216bis,
/// 3.1.2).
///
/// The decoding time of a fragment (`tfdt`) is that of its first sample plus the time offset of the track.
public struct FragmentedMovieWriter: Sendable {
    private struct Track: Sendable {
        var media: MediaTrack
        var timeOffset: Int64
    }

    private var tracks: [Track] = []
    private var sequenceNumber: UInt32 = 0

    /// Creates a writer without tracks.
    public init() {}

    /// Adds a track and replaces its ID. All tracks must be added before ``initializationSection()`` is called. Returns
    /// the ``MediaSample/track`` of the track's samples. `timeOffset` is added to the times of the track, in its
    /// timescale, so that none is negative. An edit list compensates for it.
    public mutating func add(_ track: MediaTrack, timeOffset: Int64 = 0) -> Int {
        tracks.append(Track(media: track, timeOffset: timeOffset))
        return tracks.count - 1
    }

    /// Returns the initialization section: `ftyp` and a `moov` without samples. Throws when MP4 can't carry a track.
    public func initializationSection() throws(ContainerError) -> [UInt8] {
        var bytes = FileTypeWriter.initialization()
        try bytes.appendBox("moov") { (bytes) throws(ContainerError) in
            TrackHeaderWriter.movie(
                timescale: 1000, duration: 0, nextTrackID: UInt32(truncatingIfNeeded: tracks.count + 1), to: &bytes)
            let enabled = TrackHeaderWriter.enabled(of: tracks.map(\.media))
            for (index, track) in tracks.enumerated() {
                try write(track, id: index + 1, isEnabled: enabled[index], to: &bytes)
            }
            bytes.appendBox("mvex") { bytes in
                for index in tracks.indices {
                    bytes.appendFullBox("trex") { bytes in
                        bytes.appendBigEndian(UInt32(truncatingIfNeeded: index + 1))
                        bytes.appendBigEndian(UInt32(1))
                        bytes.appendZeros(12)
                    }
                }
            }
        }
        return bytes
    }

    private func write(_ track: Track, id: Int, isEnabled: Bool, to bytes: inout [UInt8]) throws(ContainerError) {
        let edits = track.timeOffset == 0 ? [] : [Edit(duration: 0, mediaTime: track.timeOffset)]
        try TrackHeaderWriter.trak(
            track.media, id: id, isEnabled: isEnabled, edits: MovieTimeline.TrackEdits(edits: edits), duration: 0,
            to: &bytes
        ) { bytes in
            for type in ["stts", "stsc", "stco"] as [FourCC] {
                bytes.appendFullBox(type) { $0.appendBigEndian(UInt32(0)) }
            }
            bytes.appendFullBox("stsz") { $0.appendZeros(8) }
        }
    }

    /// Returns the head of a fragment: `moof` and the header of `mdat`. The bytes of the samples follow it in the given
    /// order, in which the samples of each track are in decoding order. A sample lasts until the next one of its track
    /// and format, and the last one for its stated duration. Throws when a sample has an unknown track or format, a
    /// value doesn't fit its field, or a track would begin at a negative decoding time.
    public mutating func fragmentHead(_ samples: [MediaSample]) throws(ContainerError) -> [UInt8] {
        sequenceNumber &+= 1
        var runs: [Run] = []
        var length: Int64 = 0
        for (index, sample) in samples.enumerated() {
            guard tracks.indices.contains(sample.track),
                tracks[sample.track].media.formats.indices.contains(sample.formatIndex)
            else { throw ContainerError(.malformed, "sample of track \(sample.track) has no known track or format") }
            try sample.checkTimes(timescale: tracks[sample.track].media.timescale)
            if let last = runs.last, last.track == sample.track, last.format == sample.formatIndex {
                runs[runs.count - 1].samples.append(index)
            } else {
                runs.append(Run(track: sample.track, format: sample.formatIndex, offset: length, samples: [index]))
            }
            length += Int64(sample.size)
        }
        let header = MovieBuilder.mediaHeader(length)
        // Data offsets are relative to moof and therefore depend on its size. The size doesn't depend on them.
        let size = try movieFragment(samples, runs, dataStart: 0).count
        return try movieFragment(samples, runs, dataStart: Int64(size + header.count)) + header
    }

    /// Samples of one track and format with contiguous bytes.
    private struct Run {
        var track: Int
        var format: Int
        var offset: Int64
        var samples: [Int]
    }

    private func movieFragment(
        _ samples: [MediaSample], _ runs: [Run], dataStart: Int64
    ) throws(ContainerError) -> [UInt8] {
        var bytes: [UInt8] = []
        try bytes.appendBox("moof") { (bytes) throws(ContainerError) in
            bytes.appendFullBox("mfhd") { $0.appendBigEndian(sequenceNumber) }
            var position = 0
            var written: Set<Int> = []
            while position < runs.count {
                defer { position += 1 }
                let key = runs[position].track << 16 | runs[position].format
                guard written.insert(key).inserted else { continue }
                let own = runs.filter { $0.track == runs[position].track && $0.format == runs[position].format }
                try write(own, samples, dataStart: dataStart, to: &bytes)
            }
        }
        return bytes
    }

    private func write(
        _ runs: [Run], _ samples: [MediaSample], dataStart: Int64, to bytes: inout [UInt8]
    ) throws(ContainerError) {
        guard let run = runs.first, let first = run.samples.first else { return }
        let track = tracks[run.track]
        let time = samples[first].dts.addingClamped(track.timeOffset)
        guard time >= 0 else {
            throw ContainerError(
                .unrepresentable, "tfdt: decoding time \(time) is out of range",
                advice: "Add a time offset to the track")
        }
        let indices = runs.flatMap(\.samples)
        try bytes.appendBox("traf") { (bytes) throws(ContainerError) in
            bytes.appendFullBox("tfhd", flags: 0x2_0002) { bytes in
                bytes.appendBigEndian(UInt32(truncatingIfNeeded: run.track + 1))
                bytes.appendBigEndian(UInt32(truncatingIfNeeded: run.format + 1))
            }
            bytes.appendFullBox("tfdt", version: 1) { $0.appendBigEndian(time) }
            var position = 0
            for run in runs {
                guard let offset = Int32(exactly: dataStart + run.offset) else {
                    throw ContainerError(
                        .unrepresentable, "trun: data offset \(dataStart + run.offset) is out of range")
                }
                try bytes.appendFullBox("trun", version: 1, flags: 0xF01) { (bytes) throws(ContainerError) in
                    bytes.appendBigEndian(UInt32(truncatingIfNeeded: run.samples.count))
                    bytes.appendBigEndian(offset)
                    for index in run.samples {
                        position += 1
                        let following = position < indices.count ? samples[indices[position]].dts : nil
                        try write(samples[index], following: following, to: &bytes)
                    }
                }
            }
        }
    }

    private func write(_ sample: MediaSample, following: Int64?, to bytes: inout [UInt8]) throws(ContainerError) {
        let distance = following.map { $0 - sample.dts } ?? sample.duration
        guard let duration = UInt32(exactly: distance), let size = UInt32(exactly: sample.size),
            let offset = Int32(exactly: sample.pts - sample.dts)
        else {
            throw ContainerError(
                .unrepresentable,
                "trun: the sample at \(sample.dts) is out of range: duration \(distance), size \(sample.size), "
                    + "presentation time \(sample.pts)")
        }
        bytes.appendBigEndian(duration)
        bytes.appendBigEndian(size)
        // sample_depends_on is 2 (no others) or 1 (others) with sample_is_non_sync_sample (8.8.3.1).
        bytes.appendBigEndian(UInt32(sample.isSync ? 0x0200_0000 : 0x0101_0000))
        bytes.appendBigEndian(offset)
    }
}

/// A writer for `ftyp` (ISO/IEC 14496-12, 4.3).
enum FileTypeWriter {
    static func progressive(for formats: [MediaFormat]) -> [UInt8] {
        var brands: [FourCC] = ["isom", "iso2"]
        if formats.contains(where: { $0.codec == .avc }) { brands.append("avc1") }
        if formats.contains(where: { $0.codec == .av1 }) { brands.append("av01") }
        return box(major: "isom", brands: brands + ["mp41"])
    }

    static func initialization() -> [UInt8] { box(major: "iso5", brands: ["iso5", "iso6", "mp41"]) }

    private static func box(major: FourCC, brands: [FourCC]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendBox("ftyp") { bytes in
            bytes.append(major)
            bytes.appendBigEndian(UInt32(512))
            for brand in brands { bytes.append(brand) }
        }
        return bytes
    }
}
