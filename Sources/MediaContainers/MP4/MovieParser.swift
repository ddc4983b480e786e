/// A parser that reads the boxes of `moov` into a ``Movie``.
struct MovieParser {
    private let bytes: [UInt8]
    private let origin: Int64
    private var movie = Movie()
    private var fragmentDuration: Int64?
    private var fragmentDefaults: [UInt32: FragmentDefaults] = [:]

    init(bytes: [UInt8], origin: Int64) {
        self.bytes = bytes
        self.origin = origin
    }

    mutating func parse(_ reader: ByteReader) throws(ContainerError) -> Movie {
        var hasHeader = false
        var tracks: [ByteReader] = []
        var extensions: [ByteReader] = []
        var items = ItemListParser()
        var boxes = BoxIterator(reader)
        while let (header, box) = try boxes.next() {
            var payload = box
            switch header.type {
            case "mvhd":
                try movieHeader(&payload)
                hasHeader = true
            case "trak": tracks.append(payload)
            case "mvex": extensions.append(payload)
            case "pssh": try protection(&payload)
            case "udta": items.parse(userData: payload)
            case "meta": items.parse(meta: payload)
            case "cmov":
                throw ContainerError(
                    .unsupported, "moov: compressed content (cmov)", at: header.offset,
                    advice: "Remux the file with a program that reads compressed QuickTime movies")
            default: break
            }
        }
        guard tracks.count <= 1024 else {
            throw ContainerError(.limitExceeded, "moov: \(tracks.count) tracks exceed the limit of 1,024", at: origin)
        }
        guard hasHeader else { throw ContainerError(.malformed, "moov: no mvhd", at: origin) }
        (movie.artwork, movie.metadata, movie.items) = (items.artwork, items.metadata, items.items)
        for payload in extensions { try extends(payload) }
        for track in tracks {
            var parser = TrackParser(bytes: bytes, origin: origin)
            if var track = try parser.parse(track) {
                try track.edits.checkTimes(mediaTimescale: track.media.timescale, movieTimescale: movie.timescale)
                track.fragmentDefaults = fragmentDefaults[track.media.id] ?? FragmentDefaults()
                if movie.isFragmented { describeFragments(of: &track) }
                movie.tracks.append(track)
            }
        }
        if movie.isFragmented, movie.duration == 0 { movie.duration = nil }
        if let fragmentDuration { movie.duration = max(movie.duration ?? 0, fragmentDuration) }
        return movie
    }

    /// Adjusts a track of a fragmented file. A duration of 0 in its header means unknown, and the frame rate is derived
    /// from the default sample duration of the fragments.
    private func describeFragments(of track: inout MovieTrack) {
        if track.media.duration == 0 { track.media.duration = nil }
        let ticks = track.fragmentDefaults.duration
        if track.media.kind == .video, track.media.frameRate == nil, ticks > 0 {
            track.media.frameRate = Double(track.media.timescale) / Double(ticks)
        }
    }

    private mutating func movieHeader(_ reader: inout ByteReader) throws(ContainerError) {
        let full = try FullBox(&reader)
        try reader.skip(full.version == 1 ? 16 : 8)
        movie.timescale = try MediaHeader.timescale(&reader, "mvhd")
        movie.duration = try MediaHeader.duration(&reader, version: full.version, timescale: movie.timescale)
    }

    private mutating func extends(_ payload: ByteReader) throws(ContainerError) {
        movie.isFragmented = true
        var boxes = BoxIterator(payload)
        while let (header, box) = try boxes.next() {
            var reader = box
            if header.type == "mehd" {
                let full = try FullBox(&reader)
                fragmentDuration = try MediaHeader.duration(&reader, version: full.version, timescale: movie.timescale)
            }
            guard header.type == "trex" else { continue }
            _ = try FullBox(&reader)
            let id = try reader.uint32()
            fragmentDefaults[id] = FragmentDefaults(
                descriptionIndex: try reader.uint32(), duration: try reader.uint32(), size: try reader.uint32(),
                flags: try reader.uint32())
        }
    }

    private mutating func protection(_ reader: inout ByteReader) throws(ContainerError) {
        _ = try FullBox(&reader)
        let id = UserType(high: try reader.uint64(), low: try reader.uint64())
        movie.protectionSystems.append(ProtectionSystem(systemID: id, size: reader.remaining))
    }
}
