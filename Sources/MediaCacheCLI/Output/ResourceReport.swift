import MediaCache
import MediaCacheAPI
import MediaLibrary

/// The rendering of resources as text.
enum ResourceReport {
    static func table(_ resources: [ResourceRecord]) -> String {
        guard !resources.isEmpty else { return "The cache is empty." }
        var table = Table([
            .init("ID", .right), .init("CACHED", .right), .init("OF", .right), .init("SHARE", .right),
            .init("FORMAT"), .init("HITS", .right), .init("LAST USED"), .init(""), .init("URL"),
        ])
        for resource in resources {
            table.add([
                "\(resource.id)",
                "\(ByteCount(resource.bytesCached))",
                resource.length.map { "\(ByteCount($0))" } ?? "?",
                share(resource),
                resource.format,
                "\(resource.hits)",
                MomentText.plain(resource.lastUsed),
                marks(resource),
                resource.url,
            ])
        }
        return table.rendered()
    }

    /// - Parameters:
    ///   - asset: The asset whose entry the resource is; nil if there is none.
    ///   - title: The title of the item that is played with the resource; nil for none.
    static func details(_ resource: ResourceRecord, of asset: AssetRecord? = nil, title: String? = nil) -> String {
        var table = Table([.init(""), .init("")])
        if asset?.title == nil, let title { table.add(["Title", title]) }
        for (name, value) in asset.map(metadata) ?? [] { table.add([name, value]) }
        table.add(["ID", "\(resource.id)"])
        table.add(["URL", resource.url])
        if resource.key != resource.url { table.add(["Cache key", resource.key]) }
        table.add(["Type", "\(resource.type) (\(resource.format))"])
        table.add(["Length", resource.length.map { "\(ByteCount($0)) (\($0) bytes)" } ?? "unknown"])
        table.add(["Cached", "\(ByteCount(resource.bytesCached)) (\(share(resource)))"])
        table.add(["Spans", spans(resource)])
        table.add(["Hits", "\(resource.hits)"])
        table.add(["First cached", MomentText.plain(resource.created)])
        table.add(["Last used", MomentText.plain(resource.lastUsed)])
        table.add(["Pinned", resource.pinned ? "yes" : "no"])
        if resource.withCredentials { table.add(["Credentials", "belongs to one user of the origin"]) }
        table.add(["In use", resource.inUse ? "yes" : "no"])
        if let file = resource.localFile { table.add(["File", file]) }
        guard let stream = resource.stream else { return table.rendered() }
        table.add(["Plays offline", stream.playsWithoutOrigin ? "yes, without its origin" : "no"])
        return table.rendered() + "\n\n" + playlists(stream)
    }

    /// Returns the metadata of an asset by name, without unknown values.
    private static func metadata(_ asset: AssetRecord) -> [(String, String)] {
        let description = asset.description?.split(whereSeparator: \.isNewline).joined(separator: " ")
        let rows: [(String, String?)] = [
            ("Title", asset.title), ("Artist", asset.artist),
            ("Album artist", asset.albumArtist == asset.artist ? nil : asset.albumArtist), ("Album", asset.album),
            ("Disc", number(asset.disc, of: asset.discCount)), ("Track", number(asset.track, of: asset.trackCount)),
            ("Series", asset.show), ("Season", number(asset.season)), ("Episode", number(asset.episode)),
            ("Year", number(asset.year)), ("Genre", asset.genre), ("Description", description),
            ("Duration", asset.duration.map { SecondsText.describe($0) }),
        ]
        return rows.compactMap { name, value in value.map { (name, $0) } }
    }

    private static func number(_ number: Int?, of count: Int? = nil) -> String? {
        guard let number else { return nil }
        return count.map { "\(number) of \($0)" } ?? "\(number)"
    }

    private static func playlists(_ stream: StreamStatus) -> String {
        var table = Table([
            .init("PLAYLIST"), .init("SEGMENTS", .right), .init("CACHED", .right), .init(""), .init("URL"),
        ])
        for playlist in stream.playlists {
            let isMedia = playlist.role != "multivariant" && playlist.isCached
            let count = playlist.missing.count
            let text = count.counted("key or initialization section", plural: "keys or initialization sections")
            let missing = count == 0 ? "" : "\(text) missing"
            table.add([
                playlist.role, isMedia ? "\(playlist.segments)" : "", isMedia ? "\(playlist.segmentsCached)" : "",
                playlist.isCached ? missing : "not cached", playlist.url,
            ])
        }
        return table.rendered()
    }

    private static func share(_ resource: ResourceRecord) -> String {
        if resource.complete { return "100%" }
        guard let length = resource.length, length > 0 else { return "?" }
        return "\(min(99, resource.bytesCached * 100 / length))%"
    }

    private static func marks(_ resource: ResourceRecord) -> String {
        [
            resource.pinned ? "pinned" : nil, resource.inUse ? "in use" : nil,
            resource.withCredentials ? "with credentials" : nil,
        ]
        .compactMap(\.self).joined(separator: ", ")
    }

    private static func spans(_ resource: ResourceRecord) -> String {
        guard !resource.spans.isEmpty else { return "none" }
        let limit = 8
        let shown = resource.spans.prefix(limit).map { "\($0.start)–\($0.end - 1)" }.joined(separator: ", ")
        let rest = resource.spans.count - limit
        return rest > 0 ? "\(shown) and \(rest) more" : shown
    }
}
