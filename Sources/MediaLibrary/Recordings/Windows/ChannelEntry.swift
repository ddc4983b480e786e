import HLS
internal import MediaCache

/// What a player of a channel is given: a multivariant playlist that names the tracks' playlists by their folders.
enum ChannelEntry {
    /// What a stream's own playlist says of it.
    struct Made {
        var tracks: [Channel.Track]
        /// The folders of those that its playlist names.
        var named: Set<String>
        /// The entry; empty where the stream is one media playlist.
        var text = ""
        /// What the tracks' playlists may import (EXT-X-DEFINE, RFC 8216bis §4.4.2.3).
        var variables: [String: String] = [:]
    }

    /// The tracks of a stream, and its entry.
    ///
    /// - Parameters:
    ///   - known: the tracks that are recorded already; each keeps its folder.
    /// - Throws: `CacheError` with `notMedia` for a playlist that names nothing to play.
    static func make(
        of playlist: LoadedPlaylist, selection: StreamSelection, known: [Channel.Track]
    ) throws -> Made {
        let parsed = try playlist.parsed()
        guard case .multivariant(let multivariant) = parsed.playlist else {
            let track = Channel.Track(folder: "media-1", url: playlist.url.description, scope: .any)
            return Made(tracks: [track], named: [track.folder])
        }
        let streams = RedundantStreams(of: multivariant)
        let (variants, renditions) = selection.choose(from: streams.playlist)
        guard !variants.isEmpty else {
            throw CacheError(.notMedia, "\(playlist.url) names no variant stream: there is nothing to record")
        }
        var names = LocalNames()
        var tracks: [Channel.Track] = []
        var folders: [String: String] = [:]
        for (uri, kind) in MultivariantPlaylist.children(variants, renditions) where folders[uri] == nil {
            let url = try playlist.base.resolve(uri).description
            if let track = tracks.first(where: { $0.url == url }) {
                folders[uri] = track.folder
                continue
            }
            // By its place: the URLs may have other tokens each time.
            let folder = names.folder(for: kind)
            folders[uri] = folder
            let copies = try streams.copies[uri]?.map { try playlist.base.resolve($0).description }
            tracks.append(Channel.Track(folder: folder, url: url, scope: playlist.references, copies: copies))
        }
        // Those that the stream doesn't have any more stay, as far as they go.
        tracks += known.filter { track in !tracks.contains { $0.folder == track.folder } }
        var narrowed = streams.playlist.narrowed(to: variants, renditions)
        narrowed.entries.removeAll { entry in
            switch entry {
            case .sessionKey: true
            case .sessionData(let data): data.uri != nil
            default: false
            }
        }
        let text = LocalPlaylistWriter.text(
            of: .multivariant(narrowed.mappingURIs { _, uri in folders[uri].map { "\($0)/index.m3u8" } ?? uri }))
        return Made(tracks: tracks, named: Set(folders.values), text: text, variables: parsed.variables)
    }

    /// The entry of a stream that is one media playlist, by the bandwidth of what came of it in bits per second.
    static func single(folder: String, bandwidth: Int) -> String {
        "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=\(max(1, bandwidth))\n\(folder)/index.m3u8\n"
    }

    /// The entry with another name for the tracks' playlists, and without tracks of which nothing is to be had.
    ///
    /// - Parameter place: where the tracks' folders are, seen from where the entry is read; ends in a slash.
    static func text(
        _ entry: String, playlist name: String, having folders: Set<String>, at place: String = ""
    ) -> String {
        guard case .multivariant(var playlist) = try? PlaylistParser().parse(Array(entry.utf8)).playlist else {
            return entry
        }
        func isThere(_ uri: String?) -> Bool {
            uri.map { folders.contains(String($0.prefix { $0 != "/" })) } ?? true
        }
        let isLeft = playlist.variants.contains { isThere($0.uri) }
        let variants = isLeft ? playlist.variants.filter { isThere($0.uri) } : playlist.variants
        playlist = playlist.narrowed(to: variants, playlist.renditions.filter { isThere($0.uri) })
        let mapped = playlist.mappingURIs { _, uri in place + uri.replacing("/index.m3u8", with: "/" + name) }
        return LocalPlaylistWriter.text(of: .multivariant(mapped))
    }
}
