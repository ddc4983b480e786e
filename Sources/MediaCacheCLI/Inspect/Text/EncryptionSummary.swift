import HLS

/// How a media playlist's segments are encrypted, in words.
struct EncryptionSummary {
    /// The methods, how many keys and segments.
    var text: String

    /// The summary of a playlist.
    init(_ playlist: MediaPlaylist) {
        var encrypted = 0
        var keys: Set<EncryptionKey> = []
        var last: [EncryptionKey] = []
        for segment in playlist.segments {
            let own = segment.keys.filter { $0.method != .none }
            if own.isEmpty { continue }
            encrypted += 1
            // Keys stay for many segments; comparing with the last ones is cheaper than hashing each time.
            if own != last {
                keys.formUnion(own)
                last = own
            }
        }
        guard encrypted > 0 else {
            text = "none"
            return
        }
        let methods = Set(keys.map { "\($0.method) (\($0.keyFormat))" }).sorted().joined(separator: ", ")
        let number = Set(keys.map(\.uri)).count
        let share = encrypted == playlist.segments.count ? "all segments" : encrypted.counted("segment")
        text = "\(methods), \(number == 1 ? "1 key" : "\(number) keys"), \(share)"
    }
}
