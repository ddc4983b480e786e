/// The attributes whose values are URIs, as players find them.
///
/// Players split a list of attributes in different ways. Media3 looks for `URI="` anywhere in a line, so that the end of a
/// name counts. ffmpeg begins an attribute behind a blank and behind any closing quote. hls.js finds EXT-X-MEDIA in the
/// middle of any line, and drops Unicode's blanks around a name.
enum URIAttributes {
    /// The names that the tag of a line gives a meaning to.
    static func names(of tag: PlaylistTag?) -> [AttributeName] {
        switch tag {
        case .dateRange: [.assetURI, .assetList]
        case .contentSteering: [.serverURI]
        default: [.uri]
        }
    }

    /// Returns the name of an attribute that holds a URI; nil for any other attribute.
    static func name(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, of tag: PlaylistTag?) -> AttributeName? {
        if range.count == 3, tag != .dateRange, bytes.has("URI", at: range.lowerBound) { return .uri }
        guard let start = nameStart(bytes, range.lowerBound..<range.upperBound, of: tag) else { return nil }
        // Text behind the name is dropped by some players alone.
        guard bytes[range.upperBound - 1] < 0x80, start >= range.lowerBound else { return nil }
        return AttributeName(rawValue: String(playlistBytes: bytes.part(range.lowerBound, range.upperBound)))
    }

    /// Returns where the first name of an attribute that holds a URI begins, in front of an equals sign.
    ///
    /// - Parameter tag: the tag of the line; nil looks for all names.
    static func firstName(
        _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, of tag: PlaylistTag? = nil
    ) -> Int? {
        var start = range.lowerBound
        while let equals = bytes.first(.equals, from: start, to: range.upperBound) {
            if let name = nameStart(bytes, start..<equals, of: tag) { return name }
            start = equals + 1
        }
        return nil
    }

    /// Where the name at the end of a range begins, without its prefix.
    private static func nameStart(
        _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, of tag: PlaylistTag?
    ) -> Int? {
        var end = range.upperBound
        while end > range.lowerBound, bytes[end - 1].isBlank || bytes[end - 1] >= 0x80 { end -= 1 }
        func ends(in name: StaticString) -> Int? {
            let start = end - name.utf8CodeUnitCount
            return start >= range.lowerBound && bytes.has(name, at: start) ? start : nil
        }
        return ends(in: "X-ASSET-LIST") ?? ends(in: tag == .dateRange ? "X-ASSET-URI" : "URI")
    }
}
