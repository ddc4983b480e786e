import MediaContainers

/// What kind of file is made, by the name it gets.
enum MediaFileKind: String, Sendable, CaseIterable {
    /// Pictures, sound and text.
    case mp4
    /// The same, by the name that some players know it by.
    case m4v
    /// Sound alone.
    case m4a
    /// An MPEG transport stream of pictures and sound.
    case ts

    /// The kind that a path's extension names.
    ///
    /// - Throws: ``CommandFailure``, naming those that can be made.
    init(path: String) throws {
        let name = path.split(separator: "/").last ?? ""
        let dot = name.lastIndex(of: ".")
        let suffix = dot.map { name[name.index(after: $0)...].lowercased() } ?? ""
        guard let kind = MediaFileKind(rawValue: suffix) else {
            let reason = suffix.isEmpty ? "has no extension" : "can't be made: “.\(suffix)” isn't written here"
            throw CommandFailure(.usage, "“\(path)” \(reason); name it .mp4, .m4v, .m4a or .ts")
        }
        self = kind
    }

    /// What such a file carries.
    var kinds: Set<MediaKind> {
        switch self {
        case .mp4, .m4v: [.video, .audio, .text]
        case .m4a: [.audio]
        case .ts: [.video, .audio]
        }
    }
}
