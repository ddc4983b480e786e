import MediaContainers

/// A file below the URL of a playlist, for players that append fragments to a `SourceBuffer`.
enum FragmentFile: Sendable, Hashable {
    /// The tracks: `media.json`.
    case media
    /// The segments of a media playlist: `segments.json`.
    case segments
    /// The subtitles of a media playlist: `cues.json`.
    case cues
    /// A track of a segment: `<number>.video.m4s`, `<number>.audio.m4s`; for further tracks of the same kind
    /// `<number>.audio-2.m4s`. The ordinal counts from 0.
    case fragment(number: Int, MediaKind, ordinal: Int)

    /// Parses a filename; nil for any other name.
    init?(_ name: some StringProtocol) {
        let name = String(name)
        switch name {
        case "media.json": self = .media
        case "segments.json": self = .segments
        case "cues.json": self = .cues
        default:
            let parts = name.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 3, parts[2] == "m4s", let number = Int(parts[0]), number >= 0 else { return nil }
            let track = parts[1].split(separator: "-", omittingEmptySubsequences: false)
            guard let kind = MediaKind(rawValue: String(track[0])), kind == .video || kind == .audio else { return nil }
            guard track.count > 1 else {
                self = .fragment(number: number, kind, ordinal: 0)
                return
            }
            guard track.count == 2, let position = Int(track[1]), (2...64).contains(position) else { return nil }
            self = .fragment(number: number, kind, ordinal: position - 1)
        }
    }

    /// Returns the name of a track's fragments, with `{segment}` for the number.
    static func template(_ kind: MediaKind, ordinal: Int) -> String {
        "{segment}.\(kind.rawValue)\(ordinal == 0 ? "" : "-\(ordinal + 1)").m4s"
    }

    /// Splits a path into a folder and the name of a file; nil for any other path.
    static func split(_ path: String) -> (folder: Substring, file: FragmentFile)? {
        guard let slash = path.lastIndex(of: "/"), let file = FragmentFile(path[path.index(after: slash)...]) else {
            return nil
        }
        return (path[..<slash], file)
    }

    /// Returns the path of the playlist to which the file in a folder belongs: the folder's own path, which ends in
    /// `.m3u8`. In the folder `root`, `media.json` belongs to `index.m3u8`. Returns nil for any other folder.
    func playlist(at folder: Substring, root: String) -> String? {
        if self == .media, folder == root { return "\(root)/index.m3u8" }
        return folder.hasSuffix(".m3u8") ? String(folder) : nil
    }
}
