import MediaContainers

/// A reader of the parts of a stream. It decrypts them, and reads each key and media initialization section once.
struct PartReader<Resources: StreamResources> {
    private let resources: Resources
    private var keys: [String: [UInt8]] = [:]
    private var sections: [StreamPart.Section: Movie] = [:]

    init(_ resources: Resources) { self.resources = resources }

    /// Returns the bytes of a part, and the movie of its media initialization section if it has one.
    ///
    /// - Throws: `ContainerError`: `encrypted` if the part has an obstacle; `malformed`; the errors of the resources.
    mutating func open(
        _ part: StreamPart
    ) throws(ContainerError) -> (movie: Movie?, bytes: PartBytes<Resources.Bytes>) {
        if let obstacle = part.obstacle { throw ContainerError(.encrypted, obstacle) }
        let movie = try part.section.map { section throws(ContainerError) in try self.movie(section) }
        return (movie, try bytes(of: part))
    }

    /// Returns the decrypted bytes of a part.
    mutating func bytes(of part: StreamPart) throws(ContainerError) -> PartBytes<Resources.Bytes> {
        try bytes(of: part.url, part.range, part.key)
    }

    /// Returns the tracks that the beginning of a part lists.
    mutating func tracks(of part: StreamPart) throws(ContainerError) -> [MediaTrack] {
        if let obstacle = part.obstacle { throw ContainerError(.encrypted, obstacle) }
        if let section = part.section { return try movie(section).mediaTracks }
        let source = try bytes(of: part)
        let length = min(source.length, Int64(SegmentFormat.probeLength))
        let front = try source.bytes(0..<length, limit: SegmentFormat.probeLength)
        var listing = TrackListing()
        let result = front.withUnsafeBytes { bytes in
            Result { () throws(ContainerError) in
                switch SegmentFormat.recognize(bytes, isWhole: source.length == length) {
                case .transportStream: try TransportStreamDemuxer().push(bytes, into: &listing)
                case .packedAudio: try PackedAudioDemuxer().push(bytes, into: &listing)
                case .mp4, nil: break
                }
            }
        }
        try result.get()
        return listing.tracks
    }

    private mutating func bytes(
        of url: String, _ range: Range<Int64>?, _ key: SegmentKey?
    ) throws(ContainerError) -> PartBytes<Resources.Bytes> {
        let source = try resources.bytes(of: url, range: range)
        let key = try key.map { key throws(ContainerError) in (key, try contents(of: key)) }
        return try PartBytes(source, key: key)
    }

    private mutating func movie(_ section: StreamPart.Section) throws(ContainerError) -> Movie {
        if let movie = sections[section] { return movie }
        let movie = try MP4Reader(try bytes(of: section.url, section.range, section.key)).movie
        sections[section] = movie
        return movie
    }

    private mutating func contents(of key: SegmentKey) throws(ContainerError) -> [UInt8] {
        if let known = keys[key.url] { return known }
        if let bytes = DataURL.bytes(of: key.url) { return bytes }
        // The limit is much greater than a key: if a server sends a web page instead, the error reports its length.
        let bytes = try resources.contents(of: key.url, limit: 64 << 10).bytes
        keys[key.url] = bytes
        return bytes
    }
}
