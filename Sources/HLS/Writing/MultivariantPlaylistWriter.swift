/// Writes a multivariant playlist, tags of the whole first.
struct MultivariantPlaylistWriter {
    let version: Int?

    func write(_ playlist: MultivariantPlaylist, to lines: inout LineWriter) {
        if let version { lines.tag(.version, version) }
        for variable in playlist.variables { lines.tag(.define, variable) }
        if playlist.hasIndependentSegments { lines.tag(.independentSegments) }
        if let start = playlist.start { lines.tag(.start, start) }
        for entry in playlist.entries {
            switch entry {
            case .rendition(let rendition): lines.tag(.media, rendition)
            case .variant(let variant):
                lines.tag(.streamInformation, variant)
                if !variant.uri.isEmpty { lines.line(variant.uri) }
            case .iFrameStream(let stream): lines.tag(.iFrameStreamInformation, stream)
            case .sessionData(let data): lines.tag(.sessionData, data)
            case .sessionKey(let key): lines.tag(.sessionKey, key)
            case .contentSteering(let steering): lines.tag(.contentSteering, steering)
            case .unknown(let tag): lines.line(tag.description)
            }
        }
    }
}
