import MediaCache

/// What the parts of an asset are called here: one resource has one name, whichever playlists name it.
///
/// Names end as players expect it. Some judge what lies on a disk by that alone: ffmpeg opens no segment and no key that
/// isn't called like media.
struct LocalNames {
    /// What stands in place of a media segment that the playlist says is absent (EXT-X-GAP): nothing has this name.
    static let gap = "gap.ts"

    /// Extensions that are kept, and those that others become.
    private static let extensions = [
        "ts": "ts", "m2ts": "ts", "aac": "aac", "mp3": "mp3", "ac3": "ac3", "ec3": "eac3", "eac3": "eac3",
        "mp4": "mp4", "m4a": "m4a", "m4v": "m4v", "m4s": "m4s", "cmfv": "m4s", "cmfa": "m4s", "cmft": "m4s",
        "vtt": "vtt", "webvtt": "vtt",
    ]

    /// Extensions that a file keeps: those of media. Who puts a bundle on a web server doesn't put programs there.
    private static let files: Set<String> = [
        "mp4", "m4v", "m4a", "mov", "3gp", "mp3", "aac", "ac3", "eac3", "flac", "wav", "ogg", "oga", "ogv", "opus",
        "webm", "mkv", "avi", "mpg", "mpeg", "ts", "m2ts", "vtt",
    ]

    private var names: [String: String] = [:]
    private var counts: [String: Int] = [:]

    /// What is here already under a URL, if anything is.
    func name(of url: String) -> String? { names[url] }

    /// The name of a resource.
    ///
    /// - Parameters:
    ///   - url: its URL as it's written.
    ///   - folder: where it lies, if this is the first time that it's named.
    ///   - hasMap: whether it's a media segment that needs a media initialization section.
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
            name = "\(folder)/\(padding)\(digits).\(Self.ending(of: resource, hasMap: hasMap, folder: folder))"
        case .initializationSection: name = "\(folder)/init-\(count("\(folder) init")).\(known ?? "mp4")"
        // Of media, since else ffmpeg doesn't open it on a disk.
        case .key: name = "\(folder)/key-\(count("\(folder) key")).key.ts"
        case .file, .other: name = "\(folder)/\(count("\(folder) other")).\(known ?? "json")"
        }
        names[url] = name
        return name
    }

    /// What a media segment's name ends with.
    static func ending(of resource: ResourceURL, hasMap: Bool, folder: String) -> String {
        extensions[resource.pathExtension] ?? (folder.hasPrefix("text") ? "vtt" : hasMap ? "m4s" : "ts")
    }

    /// A folder that no other playlist has.
    mutating func folder(for kind: String) -> String { "\(kind)-\(count("folder \(kind)"))" }

    /// A reference to `name` from a playlist that lies in `folder`, both relative to the asset.
    static func relative(_ name: String, from folder: String) -> String {
        guard !folder.isEmpty else { return name }
        return name.hasPrefix(folder + "/") ? String(name.dropFirst(folder.count + 1)) : "../" + name
    }

    /// What a file of its own is called.
    static func file(_ url: ResourceURL) -> String {
        files.contains(url.pathExtension) ? "file.\(url.pathExtension)" : "file"
    }

    private mutating func count(_ what: String) -> Int {
        counts[what, default: 0] += 1
        return counts[what, default: 0]
    }
}
