import MediaCache

/// A generator of names for an asset's parts. A resource has one name, even if several playlists refer to it. Names
/// have extensions that players expect: ffmpeg only opens local segments and keys with the extension of a media file.
struct AssetPartNaming {
    /// The name of segments that the playlist marks as gaps (EXT-X-GAP). No part has this name.
    static let gap = "gap.ts"

    /// The extensions of parts, by the extensions of their resources.
    private static let extensions = [
        "ts": "ts", "m2ts": "ts", "aac": "aac", "mp3": "mp3", "ac3": "ac3", "ec3": "eac3", "eac3": "eac3",
        "mp4": "mp4", "m4a": "m4a", "m4v": "m4v", "m4s": "m4s", "cmfv": "m4s", "cmfa": "m4s", "cmft": "m4s",
        "vtt": "vtt", "webvtt": "vtt",
    ]

    /// The extensions of media files. Other extensions aren't used, because a web server might execute such a file.
    private static let files: Set<String> = [
        "mp4", "m4v", "m4a", "mov", "3gp", "mp3", "aac", "ac3", "eac3", "flac", "wav", "ogg", "oga", "ogv", "opus",
        "webm", "mkv", "avi", "mpg", "mpeg", "ts", "m2ts", "vtt",
    ]

    private var names: [String: String] = [:]
    private var counts: [String: Int] = [:]

    func name(of url: String) -> String? { names[url] }

    /// Returns the name of a resource, or a new name in `folder`. `url` has the form used by the asset's parts, and
    /// `hasMap` is whether the resource is a media segment with a media initialization section.
    mutating func name(
        of resource: ResourceURL, _ url: String, _ role: AssetPart.Role, folder: String, hasMap: Bool
    ) -> String {
        if let known = names[url] { return known }
        let known = Self.extensions[resource.pathExtension]
        let name: String
        switch role {
        case .mediaSegment:
            let digits = String(count(folder))
            let padding = String(repeating: "0", count: max(0, 6 - digits.count))
            name = "\(folder)/\(padding)\(digits).\(Self.fileExtension(of: resource, hasMap: hasMap, folder: folder))"
        case .initializationSection: name = "\(folder)/init-\(count("\(folder) init")).\(known ?? "mp4")"
        case .key: name = "\(folder)/key-\(count("\(folder) key")).key.ts"
        case .file, .other: name = "\(folder)/\(count("\(folder) other")).\(known ?? "json")"
        }
        names[url] = name
        return name
    }

    static func fileExtension(of resource: ResourceURL, hasMap: Bool, folder: String) -> String {
        extensions[resource.pathExtension] ?? (folder.hasPrefix("text") ? "vtt" : hasMap ? "m4s" : "ts")
    }

    /// Returns a new folder for a media playlist.
    mutating func folder(for kind: String) -> String { "\(kind)-\(count("folder \(kind)"))" }

    /// Returns a reference to `name` from a playlist in `folder`, both relative to the asset.
    static func relative(_ name: String, from folder: String) -> String {
        guard !folder.isEmpty else { return name }
        return name.hasPrefix(folder + "/") ? String(name.dropFirst(folder.count + 1)) : "../" + name
    }

    static func file(_ url: ResourceURL) -> String {
        files.contains(url.pathExtension) ? "file.\(url.pathExtension)" : "file"
    }

    private mutating func count(_ counter: String) -> Int {
        counts[counter, default: 0] += 1
        return counts[counter, default: 0]
    }
}
