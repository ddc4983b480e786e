/// The descriptive metadata of a media file or stream: ID3 tags, iTunes-style metadata of MP4, or session data of a
/// playlist. A value that's missing, empty or out of range is nil.
public struct MediaMetadata: Sendable, Hashable, Codable {
    /// The title of the film, song or episode.
    public var title: String?
    /// The artists, separated by commas.
    public var artist: String?
    /// The artists of the whole album, separated by commas.
    public var albumArtist: String?
    /// The title of the album.
    public var album: String?
    /// The number of the track on its disc, from 1 to 9999.
    public var track: Int?
    /// The number of tracks on the disc, from 1 to 9999.
    public var trackCount: Int?
    /// The number of the disc in its set, from 1 to 9999.
    public var disc: Int?
    /// The number of discs in the set, from 1 to 9999.
    public var discCount: Int?
    /// The year of the recording or the release, from 1 to 9999.
    public var year: Int?
    /// The genres, separated by commas.
    public var genre: String?
    /// A description of the content, which may have several lines.
    public var description: String?
    /// The title of the television series.
    public var show: String?
    /// The number of the season, from 0 to 9999.
    public var season: Int?
    /// The number of the episode in its season, from 0 to 9999.
    public var episode: Int?

    /// Creates metadata without any value.
    public init() {}

    /// Whether no value is known.
    public var isEmpty: Bool { self == MediaMetadata() }
}

extension MediaMetadata {
    /// The maximum length of a text in Unicode scalars, without white space.
    private static let maximumTextLength = 500
    /// The maximum length of a description in Unicode scalars, without white space.
    private static let maximumDescriptionLength = 5000

    /// Returns a text for display in one line, or nil if it's empty: without control characters, formatting characters
    /// and surrounding white space, and with at most 500 scalars other than white space.
    public static func text(_ value: some StringProtocol) -> String? {
        cleaned(value, atMost: maximumTextLength, keepsLines: false)
    }

    /// Returns a description for display, or nil if it's empty. Unlike the result of ``text(_:)``, it may have several
    /// lines, and up to 5,000 scalars other than white space.
    public static func descriptionText(_ value: some StringProtocol) -> String? {
        cleaned(value, atMost: maximumDescriptionLength, keepsLines: true)
    }

    /// Returns texts for display, separated by commas, or nil if all are empty.
    static func list(_ values: [String]) -> String? {
        text(values.compactMap { text($0) }.joined(separator: ", "))
    }

    private static func cleaned(_ value: some StringProtocol, atMost limit: Int, keepsLines: Bool) -> String? {
        var result = String.UnicodeScalarView()
        var count = 0
        // A blank is added before the next visible character, so that white space is collapsed and trimmed.
        var blank: Unicode.Scalar?
        // White space doesn't count, so the number of scalars that are read is limited as well.
        for scalar in value.unicodeScalars.prefix(limit * 8) {
            if scalar.properties.isWhitespace || scalar.value < 0x20 {
                let isLineEnd = keepsLines && (scalar == "\n" || scalar == "\r")
                if blank != "\n" { blank = isLineEnd ? "\n" : " " }
                continue
            }
            switch scalar.properties.generalCategory {
            // Terminals interpret control characters. Formatting characters may reverse the text around them. Joiners
            // (U+200C and U+200D) belong to words and emoji.
            case .control: continue
            case .format where scalar != "\u{200C}" && scalar != "\u{200D}": continue
            default: break
            }
            guard count < limit else { break }
            if let blank, !result.isEmpty { result.append(blank) }
            blank = nil
            result.append(scalar)
            count += 1
        }
        return result.isEmpty ? nil : String(result)
    }

    /// Returns the number in front of a text and the number after the slash that follows it, as in “3/12”. Numbers
    /// outside 1 to 9999 are nil.
    static func position(_ text: String) -> (number: Int?, count: Int?) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        return (parts.first.flatMap(positive), parts.count > 1 ? positive(parts[1]) : nil)
    }

    /// Returns the year at the beginning of a date, as in “2004”, “2004-05-06” or “20040506”; nil for text that doesn't
    /// begin with four or eight digits.
    public static func year(_ date: String) -> Int? {
        let digits = date.drop { $0 == " " }.prefix { ("0"..."9").contains($0) }
        return digits.count == 4 || digits.count == 8 ? positive(digits.prefix(4)) : nil
    }

    /// Returns a number if it's from 1 to 9999, otherwise nil.
    static func positive(_ number: Int) -> Int? { (1...9999).contains(number) ? number : nil }

    private static func positive(_ text: Substring) -> Int? {
        let trimmed = text.drop { $0 == " " }
        let digits = trimmed.prefix { ("0"..."9").contains($0) }
        // “A1” and “1.5” aren't numbers of a track.
        guard !digits.isEmpty, digits.count <= 9, trimmed.dropFirst(digits.count).allSatisfy({ $0 == " " }) else {
            return nil
        }
        return Int(digits).flatMap { positive($0) }
    }
}
