extension MultivariantPlaylist {
    /// The playlist with every URI replaced: resolved against a base, for instance.
    ///
    /// - Parameter transform: takes what a URI names and the URI, and gives the new one.
    public func mappingURIs(_ transform: (ReferenceRole, String) -> String) -> MultivariantPlaylist {
        // An absent URI stays absent: an empty reference would resolve to the playlist itself.
        func mapped(_ role: ReferenceRole, _ uri: String) -> String { uri.isEmpty ? uri : transform(role, uri) }
        var playlist = self
        playlist.entries = entries.map { entry in
            switch entry {
            case .rendition(var rendition):
                rendition.uri = rendition.uri.map { mapped(.rendition, $0) }
                return .rendition(rendition)
            case .variant(var variant):
                variant.uri = mapped(.variantStream, variant.uri)
                return .variant(variant)
            case .iFrameStream(var stream):
                stream.uri = mapped(.iFramePlaylist, stream.uri)
                return .iFrameStream(stream)
            case .sessionData(var data):
                data.uri = data.uri.map { mapped(.sessionData, $0) }
                return .sessionData(data)
            case .sessionKey(let key): return .sessionKey(key.mappingURI(.sessionKey, mapped))
            case .contentSteering(var steering):
                steering.serverURI = mapped(.steeringManifest, steering.serverURI)
                return .contentSteering(steering)
            case .unknown: return entry
            }
        }
        return playlist
    }

    /// The playlist with every URI resolved against the URL that it came from (RFC 8216bis, section 4.1).
    public func resolvingURIs(against base: String) -> MultivariantPlaylist {
        let base = URLReference(base)
        return mappingURIs { _, uri in URLReference(uri).resolved(against: base).description }
    }
}
