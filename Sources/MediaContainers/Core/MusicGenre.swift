/// The genres that ID3 and iTunes-style metadata identify by numbers: those of ID3v1 (0 to 79), and Winamp's additions.
enum MusicGenre {
    /// The maximum length of a value in characters.
    private static let maximumLength = 1000

    /// Returns the name of a genre; nil for an unknown number.
    static func name(_ number: Int) -> String? { names.indices.contains(number) ? names[number] : nil }

    /// Returns the names of the genres in the values of a TCON or TCO frame.
    ///
    /// ID3 2.4 has a list of values, each a number or a name. In ID3 2.3, a value begins with numbers in parentheses,
    /// and may continue with a name: “(4)Eurodisco”. “((” begins a name with a parenthesis.
    static func names(in values: [String]) -> [String] {
        var found: [String] = []
        for value in values {
            var rest = value.prefix(maximumLength)
            while rest.hasPrefix("("), !rest.hasPrefix("(("), let end = rest.firstIndex(of: ")"),
                let name = named(rest[rest.index(after: rest.startIndex)..<end])
            {
                found.append(name)
                rest = rest[rest.index(after: end)...]
            }
            if rest.hasPrefix("((") { rest = rest.dropFirst() }
            guard let text = MediaMetadata.text(rest) else { continue }
            found.append(named(Substring(text)) ?? text)
        }
        // “(17)Rock” names one genre twice.
        var known: Set<String> = []
        return found.filter { known.insert($0).inserted }
    }

    private static func named(_ number: Substring) -> String? {
        switch number {
        case "RX": "Remix"
        case "CR": "Cover"
        default: number.count <= 3 ? Int(number).flatMap(name) : nil
        }
    }

    private static let names = [
        "Blues", "Classic Rock", "Country", "Dance", "Disco", "Funk", "Grunge", "Hip-Hop", "Jazz", "Metal", "New Age",
        "Oldies", "Other", "Pop", "R&B", "Rap", "Reggae", "Rock", "Techno", "Industrial", "Alternative", "Ska",
        "Death Metal", "Pranks", "Soundtrack", "Euro-Techno", "Ambient", "Trip-Hop", "Vocal", "Jazz+Funk", "Fusion",
        "Trance", "Classical", "Instrumental", "Acid", "House", "Game", "Sound Clip", "Gospel", "Noise",
        "Alternative Rock", "Bass", "Soul", "Punk", "Space", "Meditative", "Instrumental Pop", "Instrumental Rock",
        "Ethnic", "Gothic", "Darkwave", "Techno-Industrial", "Electronic", "Pop-Folk", "Eurodance", "Dream",
        "Southern Rock", "Comedy", "Cult", "Gangsta", "Top 40", "Christian Rap", "Pop/Funk", "Jungle",
        "Native American", "Cabaret", "New Wave", "Psychedelic", "Rave", "Showtunes", "Trailer", "Lo-Fi", "Tribal",
        "Acid Punk", "Acid Jazz", "Polka", "Retro", "Musical", "Rock & Roll", "Hard Rock", "Folk", "Folk-Rock",
        "National Folk", "Swing", "Fast Fusion", "Bebop", "Latin", "Revival", "Celtic", "Bluegrass", "Avantgarde",
        "Gothic Rock", "Progressive Rock", "Psychedelic Rock", "Symphonic Rock", "Slow Rock", "Big Band", "Chorus",
        "Easy Listening", "Acoustic", "Humour", "Speech", "Chanson", "Opera", "Chamber Music", "Sonata", "Symphony",
        "Booty Bass", "Primus", "Porn Groove", "Satire", "Slow Jam", "Club", "Tango", "Samba", "Folklore", "Ballad",
        "Power Ballad", "Rhythmic Soul", "Freestyle", "Duet", "Punk Rock", "Drum Solo", "A Cappella", "Euro-House",
        "Dance Hall",
    ]
}
