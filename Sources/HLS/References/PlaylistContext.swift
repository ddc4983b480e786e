/// What a playlist's variables may come from besides the playlist (RFC 8216bis, section 4.4.2.3).
public struct PlaylistContext: Sendable, Hashable {
    /// The URL that the playlist came from, after redirects: EXT-X-DEFINE takes QUERYPARAM values from its query.
    public var playlistURL: String?
    /// The variables of the multivariant playlist, by name, which EXT-X-DEFINE may IMPORT.
    public var importableVariables: [String: String]

    /// A context; without arguments, one that brings no variable.
    public init(playlistURL: String? = nil, importableVariables: [String: String] = [:]) {
        self.playlistURL = playlistURL
        self.importableVariables = importableVariables
    }

    /// The value of a query item of ``playlistURL``, percent-decoded; nil where it is absent or has no value.
    func queryValue(_ name: String) -> String? {
        guard let playlistURL, let query = URLReference(playlistURL).query else { return nil }
        for item in query.utf8.split(separator: .ampersand) {
            guard let equals = item.firstIndex(of: .equals) else { continue }
            if PlaylistContext.percentDecoded(item[..<equals]) == name {
                return PlaylistContext.percentDecoded(item[item.index(after: equals)...])
            }
        }
        return nil
    }

    private static func percentDecoded(_ text: Substring.UTF8View) -> String {
        var bytes: [UInt8] = []
        let input = Array(text)
        var index = 0
        while index < input.count {
            if input[index] == .percent, index + 2 < input.count, let high = input[index + 1].hexValue,
                let low = input[index + 2].hexValue
            {
                bytes.append(high << 4 | low)
                index += 3
            } else {
                bytes.append(input[index])
                index += 1
            }
        }
        return bytes.withUnsafeBytes { String(playlistBytes: $0) }
    }
}
