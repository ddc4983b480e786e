import HLS

/// A multivariant playlist as text for people: the facts, then a table each of variant streams, renditions and I-frame
/// playlists.
struct MultivariantPlaylistReport {
    /// The playlist.
    var playlist: MultivariantPlaylist
    /// Where it came from, and how its references are shown.
    var inspection: Inspection

    /// The facts and the tables.
    var sections: [String] {
        [facts, variants, renditions, iFrameStreams].compactMap(\.self)
    }

    private var facts: String {
        PlaylistReport.facts([
            "Playlist": inspection.name,
            "Kind": "multivariant playlist",
            "Version": PlaylistReport.version(playlist.version, required: playlist.requiredVersion),
            "Variant streams": "\(playlist.variants.count)",
            "Renditions": renditionCounts,
            "Start": PlaylistReport.start(playlist.start),
            "Independent": playlist.hasIndependentSegments ? "every segment starts with an independent frame" : nil,
            "Session keys": PlaylistReport.list(playlist.sessionKeys.map { "\($0.method) (\($0.keyFormat))" }),
            "Session data": PlaylistReport.list(playlist.sessionData.map(\.dataID)),
            "Steering": playlist.contentSteering.map { $0.serverURI.unlessEmpty ?? "without a URI" },
            "Variables": PlaylistReport.variables(inspection.parsed.variables),
            "Other tags": PlaylistReport.unknownTags(inspection.unknownTags),
        ])
    }

    private var renditionCounts: String? {
        let counts = RenditionType.allCases.compactMap { type in
            let count = playlist.renditions.count { $0.type == type }
            return count == 0 ? nil : "\(count) \(type.rawValue.lowercased())"
        }
        return playlist.renditions.isEmpty ? nil : counts.joined(separator: ", ")
    }

    private var variants: String? {
        var table = ItemTable(playlist.variants)
        table.column("BANDWIDTH", .right) { Self.bitRate($0.bandwidth) }
        table.column("AVERAGE", .right) { $0.averageBandwidth.flatMap(Self.bitRate) }
        table.column("RESOLUTION") { $0.resolution?.description }
        table.column("FPS", .right) { $0.frameRate?.description }
        table.column("RANGE") { $0.videoRange }
        table.column("CODECS") { $0.codecs.joined(separator: " ") }
        table.column("AUDIO") { $0.audioGroup }
        table.column("VIDEO") { $0.videoGroup }
        table.column("SUBTITLES") { $0.subtitlesGroup }
        table.column("CAPTIONS") { $0.closedCaptionsGroup }
        table.column("PATHWAY") { $0.pathwayID }
        table.column("VARIANT STREAM") { $0.uri.unlessEmpty ?? "(no URI)" }
        return table.rendered()
    }

    private var renditions: String? {
        var table = ItemTable(playlist.renditions)
        table.column("TYPE") { $0.type?.rawValue.lowercased() ?? $0.attributes.text("TYPE") }
        table.column("GROUP") { $0.groupID }
        table.column("NAME") { $0.name }
        table.column("LANGUAGE") { $0.language }
        table.column("CHANNELS") { $0.channels }
        table.column("CHOICE") { Self.choice($0) }
        table.column("RENDITION") { place($0) }
        return table.rendered()
    }

    private var iFrameStreams: String? {
        var table = ItemTable(playlist.iFrameStreams)
        table.column("BANDWIDTH", .right) { Self.bitRate($0.bandwidth) }
        table.column("RESOLUTION") { $0.resolution?.description }
        table.column("CODECS") { $0.codecs.joined(separator: " ") }
        table.column("I-FRAME PLAYLIST") { $0.uri.unlessEmpty ?? "(no URI)" }
        return table.rendered()
    }

    private func place(_ rendition: Rendition) -> String {
        if let uri = rendition.uri?.unlessEmpty { return uri }
        return rendition.instreamID.map { "\($0) in the video" } ?? "in the variant stream"
    }

    private static func choice(_ rendition: Rendition) -> String? {
        let words = [
            rendition.isDefault ? "default" : nil, rendition.isAutoselect && !rendition.isDefault ? "automatic" : nil,
            rendition.isForced ? "forced" : nil,
        ]
        return words.compactMap(\.self).joined(separator: ", ")
    }

    /// Bits per second, in thousands.
    private static func bitRate(_ rate: Int) -> String? {
        rate > 0 ? "\(rate / 1000 + (rate % 1000 >= 500 ? 1 : 0)) kb/s" : nil
    }
}
