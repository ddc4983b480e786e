import Foundation
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// Finds the picture of a song or a film, and keeps it with the asset that it's of.
struct CoverJob: Sendable {
    /// Where a picture came from.
    enum Source: String, Encodable, Sendable {
        /// It was kept with the asset.
        case kept
        /// The file has it in its metadata.
        case embedded
        /// It's one of the film.
        case frame
    }

    /// What was found.
    struct Found: Sendable {
        /// The picture.
        var cover: Cover
        /// Where it came from.
        var source: Source
        /// Whether it's kept with the asset now.
        var isKept: Bool
    }

    /// The song or film.
    var input: InputArgument
    /// The moment of a frame, in seconds; nil takes what there is.
    var time: Double?
    /// Whether what is found becomes the asset's.
    var keeps: Bool
    /// The cache folder, where the files for ffmpeg lie.
    var cacheFolder: String?

    /// Finds it.
    ///
    /// - Throws: ``CommandFailure`` where there is none; `ContainerError`.
    func run(_ opening: InputOpening) throws -> Found {
        let client = opening.connection?.client
        if time == nil, let client, case .url(let url) = input, let cover = try kept(url, client, opening.control) {
            return Found(cover: cover, source: .kept, isKept: true)
        }
        let embedded = time == nil ? try Cover.embedded(in: try opening.bytes(of: input)) : nil
        guard let cover = try embedded ?? frame(opening) else {
            throw CommandFailure(.failed, "\(input.name) has no picture" + (time == nil ? "" : " at that moment"))
        }
        var found = Found(cover: cover, source: embedded == nil ? .frame : .embedded, isKept: false)
        if keeps, let client, case .url(let url) = input {
            do {
                found.isKept = try opening.control.wait { try await Self.keep(cover, of: url, client) }
            } catch {
                // Without --keep nobody asked for that: the picture is there all the same.
                guard time == nil else { throw error }
                try opening.control.check()
                let reason = CommandFailure(error)?.message ?? "\(error)"
                StandardStreams.printError("mediacache: note: not kept: \(Table.printable(reason))")
            }
        }
        return found
    }

    private func kept(_ url: ResourceURL, _ client: APIClient, _ control: WorkControl) throws -> Cover? {
        try control.wait {
            guard let asset = try await client.asset(for: url), asset.cover != nil else { return nil }
            return try await client.cover(of: asset.id)
        }
    }

    /// Keeps a picture with the asset that begins with what is kept of a URL.
    ///
    /// - Returns: whether there is one; nothing may be kept of the URL.
    static func keep(_ cover: Cover, of url: ResourceURL, _ client: APIClient) async throws -> Bool {
        guard let asset = try await client.addAsset(for: url) else { return false }
        try await client.setCover(cover, of: asset.id)
        return true
    }

    private func frame(_ opening: InputOpening) throws -> Cover? {
        let resources = InputResources(opening: opening, readsFiles: !input.isURL)
        var frame = FilmFrame(
            url: try resources.url(of: input), resources: resources, time: time ?? FrameTime.usual,
            cacheFolder: cacheFolder)
        // ffmpeg works in a folder of its own.
        if case .file(let path) = input { frame.path = URL(fileURLWithPath: path).path(percentEncoded: false) }
        if let cover = try frame.take(of: input.name, opening.control) { return cover }
        guard time == nil else { return nil }
        // Shorter than that: its first picture.
        frame.time = 0
        return try frame.take(of: input.name, opening.control)
    }
}
