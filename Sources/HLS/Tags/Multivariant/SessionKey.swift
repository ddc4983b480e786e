extension PlaylistTag {
    /// EXT-X-SESSION-KEY (RFC 8216bis §4.4.6.5): a key that clients can preload.
    public static let sessionKey = PlaylistTag(
        "EXT-X-SESSION-KEY", section: "4.4.6.5",
        place: .multivariantPlaylist(
            EntryField(
                "sessionKeys",
                read: { (parser, item, reader) throws(PlaylistError) in
                    let key = EncryptionKey(attributes: try reader.attributes(item))
                    if key.method == .none {
                        try reader.report(.error, item.tag, "method", "The method of a session key can't be NONE.")
                    }
                    try key.check(as: item.tag, &reader)
                    parser.playlist.entries.append(.sessionKey(key))
                },
                entry: { .sessionKey(EncryptionKey(attributes: $0)) })),
        attributes: EncryptionKey.rules, uris: [.uri: .sessionKey], localRemoval: .never,
        requiredVersion: { EncryptionKey(attributes: $0).requiredVersion })
}
