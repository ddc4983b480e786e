/// What a multivariant playlist has to be as a whole.
enum MultivariantPlaylistRules {
    static func check(_ playlist: MultivariantPlaylist, _ reader: inout TagReader) throws(PlaylistError) {
        let required = playlist.requiredVersion
        if required > playlist.version ?? 1 {
            let message = "The content needs version \(required); the playlist declares \(playlist.version ?? 1)."
            try reader.log.add(.error, .init(section: "8", name: "version"), line: 0, message)
        }
        let groups = Set(playlist.renditions.map { Group(type: $0.type, id: $0.groupID) })
        for variant in playlist.variants {
            try check(.audio, variant.audioGroup, groups, &reader)
            try check(.video, variant.videoGroup, groups, &reader)
            try check(.subtitles, variant.subtitlesGroup, groups, &reader)
            try check(.closedCaptions, variant.closedCaptionsGroup, groups, &reader)
        }
    }

    private struct Group: Hashable {
        var type: RenditionType?
        var id: String
    }

    private static func check(
        _ type: RenditionType, _ id: String?, _ groups: Set<Group>, _ reader: inout TagReader
    ) throws(PlaylistError) {
        guard let id, !groups.contains(Group(type: type, id: id)) else { return }
        try reader.log.add(
            .error, Diagnostic.Rule(.streamInformation, "group"), line: 0,
            "There is no \(type.rawValue) group \(id).")
    }
}
