/// An iterator over the samples of a file's tracks: first the samples in `moov`, then the samples in each fragment.
///
/// Within `moov` and within a fragment, samples are in file order, so that reading is sequential. However, no track
/// gets more than a second ahead of another, so that even the tracks of a non-interleaved file are delivered
/// interleaved.
public struct MovieSamples<Source: ByteSource> {
    private enum TrackCursor {
        case movie(EditedSampleCursor)
        case fragment(FragmentSampleCursor)
    }

    private struct Head {
        var cursor: TrackCursor
        var sample: MediaSample
        var timescale: Int32
    }

    private let source: Source
    private let movie: Movie
    private var heads: [Head] = []
    private var fragmentBoxes: TopLevelBoxes<Source>
    private var mayHaveFragments: Bool
    private var trackEnds: [Int64]
    /// The amount for each track by which decoding times of fragments are moved back.
    private(set) var decodingShifts: [Int64]
    private let timeOffsets: [Int64]
    /// The remaining budget in bytes for samples without per-sample fields. Such samples use no space in `moof`, so the
    /// length of the file has to bound their number.
    private var unlistedBytes: Int64

    init(_ reader: MP4Reader<Source>, decodingShifts shifts: [Int64] = []) throws(ContainerError) {
        source = reader.source
        movie = reader.movie
        fragmentBoxes = TopLevelBoxes(reader.source, from: reader.fragmentsBegin)
        mayHaveFragments = true
        unlistedBytes = reader.source.length.addingClamped(65536)
        trackEnds = [Int64](repeating: 0, count: movie.tracks.count)
        decodingShifts = movie.tracks.indices.map { shifts.indices.contains($0) ? shifts[$0] : 0 }
        var offsets: [Int64] = []
        for (index, track) in movie.tracks.enumerated() {
            offsets.append(track.edits.offset(mediaTimescale: track.media.timescale, movieTimescale: movie.timescale))
            // The samples of a segment are in its fragments. The tables of its movie refer to another file.
            guard reader.fragmentsBegin > 0 else { continue }
            var cursor = try EditedSampleCursor(
                track, index: index, movieTimescale: movie.timescale, fileLength: reader.source.length)
            guard let sample = try cursor.next() else { continue }
            heads.append(Head(cursor: .movie(cursor), sample: sample, timescale: track.media.timescale))
        }
        timeOffsets = offsets
    }

    /// Returns the next sample, or nil at the end of the file. Throws for damage, and the errors of the source.
    public mutating func next() throws(ContainerError) -> MediaSample? {
        while heads.isEmpty {
            guard mayHaveFragments, try enterFragment() else { return nil }
        }
        let index = nextHead()
        let sample = heads[index].sample
        if let following = try advance(&heads[index].cursor) {
            heads[index].sample = following
        } else {
            if case .fragment(let cursor) = heads[index].cursor { trackEnds[sample.track] = cursor.dts }
            heads.remove(at: index)
        }
        return sample
    }

    private func advance(_ cursor: inout TrackCursor) throws(ContainerError) -> MediaSample? {
        switch cursor {
        case .movie(var edited):
            let sample = try edited.next()
            cursor = .movie(edited)
            return sample
        case .fragment(var fragment):
            let sample = try fragment.next()
            cursor = .fragment(fragment)
            return sample
        }
    }

    /// Returns the index of the head that comes first in the file, unless it is more than a second ahead of the
    /// earliest head.
    private func nextHead() -> Int {
        var first = 0
        var earliest = 0
        guard heads.count > 1 else { return 0 }
        for index in 1..<heads.count {
            if heads[index].sample.offset < heads[first].sample.offset { first = index }
            if seconds(heads[index]) < seconds(heads[earliest]) { earliest = index }
        }
        return seconds(heads[first]) > seconds(heads[earliest]) + 1 ? earliest : first
    }

    private func seconds(_ head: Head) -> Double { Double(head.sample.dts) / Double(head.timescale) }

    private mutating func enterFragment() throws(ContainerError) -> Bool {
        var count = 0
        while let header = try fragmentBoxes.next() {
            count += 1
            guard count <= MP4Reader<Source>.maximumBoxes else {
                throw ContainerError(.limitExceeded, "no samples among \(count) boxes", at: header.offset)
            }
            guard header.type == "moof" else { continue }
            let payload = try source.bytes(header.payload, limit: MP4Reader<Source>.maximumIndexLength)
            let fragment = try MovieFragment(payload: payload, header: header, movie: movie)
            var ends = trackEnds
            for (number, part) in fragment.tracks.enumerated() {
                unlistedBytes -= part.unlistedBytes
                guard unlistedBytes >= 0 else {
                    throw ContainerError(
                        .limitExceeded, "moof: its samples of constant size exceed the file", at: header.offset)
                }
                let track = movie.tracks[part.track]
                decodingShifts[part.track] = max(decodingShifts[part.track], part.largestNegativeOffset)
                var cursor = FragmentSampleCursor(
                    bytes: fragment.bytes, fragment: part, track: track, timeOffset: timeOffsets[part.track],
                    dtsShift: decodingShifts[part.track], previousEnd: ends[part.track])
                if fragment.tracks[(number + 1)...].contains(where: { $0.track == part.track }) {
                    ends[part.track] = try cursor.end()
                }
                guard let sample = try cursor.next() else { continue }
                heads.append(Head(cursor: .fragment(cursor), sample: sample, timescale: track.media.timescale))
            }
            if !heads.isEmpty { return true }
        }
        mayHaveFragments = false
        return false
    }
}
