import MediaCache
import MediaCacheAPI
import MediaLibrary

/// The rendering of the items of a library as text.
enum ItemReport {
    static func table(_ items: [LibraryItem], _ style: TextStyle = .plain) -> String {
        guard !items.isEmpty else { return "The library is empty; `get` downloads and `play` plays a URL." }
        let hasArtists = items.contains { $0.artist != nil }
        let artist: [Table.Column] = hasArtists ? [.init("ARTIST")] : []
        let others: [Table.Column] = [
            .init("KIND"), .init("CACHED", .right), .init("SHARE", .right), .init("STATE"), .init("LAST USED"),
        ]
        var table = Table([.init("ID"), .init("TITLE")] + artist + others)
        for item in items {
            var cells = [item.id, item.title ?? item.url]
            if hasArtists { cells.append(item.artist ?? "") }
            cells += [
                item.kind.rawValue, item.bytes.map { "\(ByteCount($0))" } ?? "?", share(item), state(item),
                MomentText.plain(item.lastUsed),
            ]
            table.add(cells)
        }
        return table.rendered(style)
    }

    static func details(_ item: LibraryItem) -> String {
        var table = Table([.init(""), .init("")])
        table.add(["Title", item.title ?? ""])
        table.add(["ID", item.id])
        table.add(["Kind", item.kind.rawValue])
        table.add(["URL", item.url])
        table.add(["Cached", item.bytes.map { "\(ByteCount($0))" } ?? "unknown"])
        table.add(["State", state(item)])
        table.add(["Last used", MomentText.plain(item.lastUsed)])
        return table.rendered()
    }

    private static func state(_ item: LibraryItem) -> String {
        let state = item.state ?? (item.complete ? "complete" : "partial")
        return state == "completeWithHoles" ? "holes" : state
    }

    /// Returns the number of items by kind: `5 (3 assets, 2 channels)`.
    static func count(_ items: [LibraryItem]) -> String {
        let kinds: [(LibraryItem.Kind, String, String)] = [
            (.asset, "asset", "assets"), (.channel, "channel", "channels"), (.file, "played file", "played files"),
            (.stream, "played stream", "played streams"),
            (.parts, "stream without playlist", "streams without playlist"),
        ]
        let parts = kinds.compactMap { kind, singular, plural -> String? in
            let count = items.count { $0.kind == kind }
            return count > 0 ? count.counted(singular, plural: plural) : nil
        }
        return parts.isEmpty ? "0" : "\(items.count) (\(parts.joined(separator: ", ")))"
    }

    private static func share(_ item: LibraryItem) -> String {
        if item.complete { return "100%" }
        guard let bytes = item.bytes, let length = item.length, length > 0 else { return "" }
        return "\(min(99, Int(Double(bytes) / Double(length) * 100)))%"
    }
}
