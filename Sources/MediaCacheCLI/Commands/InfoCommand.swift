import ArgumentParser
import MediaCache
import MediaCacheAPI

/// `mediacache info URL|ITEM`.
struct InfoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Shows the cached data of a URL, a film or a channel.",
        usage: "mediacache info <url-or-title> [<options>]",
        discussion: """
            EXAMPLES:
              mediacache info https://example.org/film.mp4
              mediacache info 'A film'        a title or an ID from `list`
              mediacache info --json https://example.org/film.mp4 | jq -r .localFile

            For a complete resource, the output includes the path of its file. The file belongs to the cache: read it, \
            but don't modify it; use `get -o` to export it.
            For an asset of the library, the output includes its title, and the artist, album and other metadata that its \
            media contains.
            For the playlist of an HLS stream, the output includes the cached segments, and whether the stream plays \
            without its origin. A channel, an import and an ended recording are described as by `list`.

            OUTPUT:
            --json prints an object with the keys of `list --resources --json`; for a complete resource also localFile \
            (the path of its file); for an HLS playlist also stream: playlists (url, role, isCached, segments, \
            segmentsCached, missing) and playsWithoutOrigin; for an asset also asset: id, title, artist, albumArtist, album, track, \
            trackCount, disc, discCount, year, genre, description, show, season, episode, duration and the other keys \
            of an asset in the API. For a channel, an import and an ended recording, the keys are those of `list --json`.
            """
    )

    @Argument(
        help: ArgumentHelp("The URL, ID or title of a file or a stream, or a channel.", valueName: "url-or-title"),
        completion: ServerCompletion.items, transform: AssetReference.init(parsing:))
    var media: AssetReference

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup(title: "Global options") var cache: CacheOptions

    func run() async throws {
        let media = media
        let (item, found) = try await Connection.use(HostSettings(cache: cache)) {
            connection -> (LibraryItem?, CachedItem?) in
            let client = connection.client
            let item: LibraryItem?
            let resource: ResourceRecord?
            if case .url(let url) = media {
                (item, resource) = (nil, try await client.resource(for: url, withFile: true))
            } else {
                let found = try await client.item(media)
                (item, resource) = (found, try await client.resource(of: found, withFile: true))
            }
            guard let resource else { return (item, nil) }
            let asset = try await client.asset(for: try ResourceURL(resource.url))
            return (item, CachedItem(resource: resource, asset: asset))
        }
        if let found {
            let text = ResourceReport.details(found.resource, of: found.asset, title: item?.title)
            return try StandardStreams.print(json ? JSONOutput.text(found) : text)
        }
        guard let item else {
            throw CommandFailure(.failed, "\(media.text) isn't cached; play it or download it with `get` first")
        }
        try StandardStreams.print(json ? JSONOutput.text(item) : ItemReport.details(item))
    }

    /// A resource, and the asset whose entry it is. In JSON, the asset is a key of the resource.
    private struct CachedItem: Encodable, Sendable {
        private enum CodingKeys: String, CodingKey {
            case asset
        }

        var resource: ResourceRecord
        var asset: AssetRecord?

        func encode(to encoder: any Encoder) throws {
            try resource.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encodeIfPresent(asset, forKey: .asset)
        }
    }
}
