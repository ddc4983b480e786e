/// What a media playlist has to be as a whole.
enum MediaPlaylistRules {
    static func check(
        _ playlist: MediaPlaylist, longest: (duration: DecimalValue, line: Int), _ reader: inout TagReader
    ) throws(PlaylistError) {
        if let target = playlist.targetDuration {
            if longest.duration.rounded > target {
                try reader.log.add(
                    .error, Diagnostic.Rule(.targetDuration, "exceeded"), line: longest.line,
                    "A segment lasts \(longest.duration) s; the target duration is \(target) s.")
            }
        } else {
            try whole(.error, .targetDuration, "missing", "The playlist has no target duration.", &reader)
        }
        let required = playlist.requiredVersion
        if required > playlist.version ?? 1 {
            let message = "The content needs version \(required); the playlist declares \(playlist.version ?? 1)."
            try reader.log.add(.error, .init(section: "8", name: "version"), line: 0, message)
        }
        if playlist.segments.isEmpty, playlist.upcoming == nil {
            try whole(.warning, .segment, "none", "The playlist has no segments.", &reader)
        }
        if playlist.type == .onDemand, !playlist.hasEndList {
            try whole(.warning, .playlistType, "end", "The playlist is VOD, but has no EXT-X-ENDLIST.", &reader)
        }
        let hasParts = playlist.segments.contains { !$0.tags.isEmpty && !$0.parts.isEmpty }
        if hasParts || playlist.upcoming?.parts.isEmpty == false, playlist.partInformation == nil {
            try whole(.error, .partInformation, "missing", "There are parts, but no EXT-X-PART-INF.", &reader)
        }
    }

    private static func whole(
        _ severity: Diagnostic.Severity, _ tag: PlaylistTag, _ name: String, _ message: String,
        _ reader: inout TagReader
    ) throws(PlaylistError) {
        try reader.log.add(severity, Diagnostic.Rule(tag, name), line: 0, message)
    }
}
