/// A parser for the boxes of `moof`.
struct MovieFragmentParser {
    private let header: BoxHeader
    private let movie: Movie
    private(set) var sequenceNumber: UInt32 = 0
    private(set) var tracks: [TrackFragment] = []
    /// The offset that data offsets of the current track fragment are relative to.
    private var baseOffset: Int64
    /// The offset after the data of the previous run.
    private var dataEnd: Int64

    init(header: BoxHeader, movie: Movie) {
        self.header = header
        self.movie = movie
        baseOffset = header.offset
        dataEnd = header.offset
    }

    mutating func parse(_ reader: ByteReader) throws(ContainerError) {
        var boxes = BoxIterator(reader)
        while let (header, box) = try boxes.next() {
            var payload = box
            switch header.type {
            case "mfhd":
                _ = try FullBox(&payload)
                sequenceNumber = try payload.uint32()
            case "traf":
                // Each search for the next sample visits all track fragments. No writer creates this many.
                guard tracks.count < 4096 else {
                    throw ContainerError(.limitExceeded, "moof: more than 4,096 track fragments", at: header.offset)
                }
                if let track = try trackFragment(payload) { tracks.append(track) }
            default: break
            }
        }
    }

    private mutating func trackFragment(_ payload: ByteReader) throws(ContainerError) -> TrackFragment? {
        var fragment: TrackFragment?
        var isForOtherTrack = false
        var boxes = BoxIterator(payload)
        while let (header, box) = try boxes.next() {
            var reader = box
            switch header.type {
            case "tfhd":
                fragment = try fragmentHeader(&reader)
                isForOtherTrack = fragment == nil
            case "tfdt":
                let full = try FullBox(&reader)
                let time = full.version == 1 ? try reader.uint64() : UInt64(try reader.uint32())
                // Each sample is checked later against a stricter bound that depends on the timescale.
                guard let time = Int64(exactly: time), time < Timescale.maximumTicks else {
                    throw ContainerError(.malformed, "tfdt: decoding time \(time) is out of range", at: header.offset)
                }
                fragment?.baseDecodeTime = time
            case "trun":
                guard let defaults = fragment?.defaults else {
                    if isForOtherTrack { continue }
                    throw ContainerError(.malformed, "trun before tfhd", at: header.offset)
                }
                guard let run = try run(&reader, defaults: defaults) else { continue }
                fragment?.runs.append(run)
                let largest = max(fragment?.largestNegativeOffset ?? 0, try largestNegativeOffset(run, reader))
                fragment?.largestNegativeOffset = largest
            case "senc": fragment?.hasSampleEncryption = true
            case "uuid" where header.userType == .piffSampleEncryption: fragment?.hasSampleEncryption = true
            default: break
            }
        }
        return fragment
    }

    private mutating func fragmentHeader(_ reader: inout ByteReader) throws(ContainerError) -> TrackFragment? {
        let full = try FullBox(&reader)
        let id = try reader.uint32()
        var base: Int64?
        if full.flags & 0x1 != 0 {
            let place = reader.offset
            let offset = try reader.uint64()
            guard let known = Int64(exactly: offset) else {
                throw ContainerError(.malformed, "tfhd: data offset \(offset) is out of range", at: place)
            }
            base = known
        }
        // In some files, fragments contain tracks that the movie lacks. Such track fragments are ignored.
        guard let index = movie.tracks.firstIndex(where: { $0.media.id == id }) else { return nil }
        var defaults = movie.tracks[index].fragmentDefaults
        if full.flags & 0x2 != 0 { defaults.descriptionIndex = try reader.uint32() }
        if full.flags & 0x8 != 0 { defaults.duration = try reader.uint32() }
        if full.flags & 0x10 != 0 { defaults.size = try reader.uint32() }
        if full.flags & 0x20 != 0 { defaults.flags = try reader.uint32() }
        // default-base-is-moof. Without it, offsets are relative to moof in the first track fragment, and to the end of
        // the previous data in later ones.
        let countsFromMoof = full.flags & 0x2_0000 != 0 || tracks.isEmpty
        baseOffset = base ?? (countsFromMoof ? header.offset : dataEnd)
        dataEnd = baseOffset
        return TrackFragment(track: index, defaults: defaults)
    }

    private mutating func run(
        _ reader: inout ByteReader, defaults: FragmentDefaults
    ) throws(ContainerError) -> TrackFragment.Run? {
        let full = try FullBox(&reader)
        var run = TrackFragment.Run()
        run.flags = full.flags
        let place = reader.offset
        run.count = Int(try reader.uint32())
        if full.flags & 0x1 != 0 {
            run.offset = baseOffset.addingClamped(Int64(try reader.int32()))
        } else {
            run.offset = dataEnd
        }
        if full.flags & 0x4 != 0 { run.firstSampleFlags = try reader.uint32() }
        run.width = 4 * (full.flags >> 8 & 15).nonzeroBitCount
        run.start = Int(reader.offset - header.payload.lowerBound)
        if run.width > 0 {
            guard run.count <= reader.remaining / run.width else {
                throw ContainerError(
                    .malformed, "trun: \(run.count) samples, room for \(reader.remaining / run.width)", at: place)
            }
        } else if run.count > 1 << 20 {
            // Samples without fields use no space in the box, so only a fixed limit bounds their number.
            throw ContainerError(.limitExceeded, "trun: \(run.count) samples without fields", at: place)
        }
        guard run.count > 0 else { return nil }
        dataEnd = run.offset.addingClamped(try dataSize(run, reader, defaults: defaults))
        return run
    }

    private func largestNegativeOffset(_ run: TrackFragment.Run, _ fields: ByteReader) throws(ContainerError) -> Int64 {
        guard run.flags & 0x800 != 0 else { return 0 }
        var reader = fields
        var largest: Int64 = 0
        for _ in 0..<run.count {
            try reader.skip(run.width - 4)
            largest = max(largest, -Int64(try reader.int32()))
        }
        return largest
    }

    private func dataSize(
        _ run: TrackFragment.Run, _ fields: ByteReader, defaults: FragmentDefaults
    ) throws(ContainerError) -> Int64 {
        guard run.flags & 0x200 != 0 else { return Int64(run.count) * Int64(defaults.size) }
        var reader = fields
        var size: Int64 = 0
        let before = run.flags & 0x100 != 0 ? 4 : 0
        for _ in 0..<run.count {
            try reader.skip(before)
            size += Int64(try reader.uint32())
            try reader.skip(run.width - before - 4)
        }
        return size
    }
}
