import Foundation
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// A job that finds the cover of a song or a film.
struct CoverJob: Sendable {
    enum Source: String, Encodable, Sendable {
        case stored
        case embedded
        case frame
    }

    struct Found: Sendable {
        var cover: Cover
        var source: Source
        /// Whether the picture is now the stored cover of the asset.
        var isStored: Bool
    }

    var input: MediaInput
    /// The time of a frame in seconds; nil for an existing picture, or a frame at the default time.
    var time: Double?
    /// Whether the picture becomes the cover of the asset.
    var stores: Bool
    /// The cache folder that contains the temporary files of ffmpeg.
    var cacheFolder: String?

    func run(_ connection: Connection?) async throws -> Found {
        let gateway = connection?.gateway
        if time == nil, let client = connection?.client, case .url(let url) = input,
            let asset = try await client.asset(for: url), asset.cover != nil,
            let cover = try await client.cover(of: asset.id)
        {
            return Found(cover: cover, source: .stored, isStored: true)
        }
        let embedded = time == nil ? try await Cover.embedded(in: input, gateway: gateway) : nil
        var frame: Cover?
        if embedded == nil { frame = try await self.frame(gateway) }
        guard let cover = embedded ?? frame else {
            throw CommandFailure(
                .failed, "\(input.name) has no picture or video frame" + (time == nil ? "" : " at that time"))
        }
        var found = Found(cover: cover, source: embedded == nil ? .frame : .embedded, isStored: false)
        if stores, let client = connection?.client, case .url(let url) = input {
            do {
                found.isStored = try await Self.store(cover, of: url, client)
            } catch {
                // Storing was requested explicitly only with a time.
                guard time == nil else { throw error }
                try Task.checkCancellation()
                let reason = CommandFailure(error)?.message ?? "\(error)"
                StandardStreams.printError("mediacache: note: the cover isn't stored: \(Table.printable(reason))")
            }
        }
        return found
    }

    /// Stores the cover of the asset that a URL belongs to.
    ///
    /// - Returns: Whether the cover was stored; false if the URL isn't cached.
    static func store(_ cover: Cover, of url: ResourceURL, _ client: APIClient) async throws -> Bool {
        guard let asset = try await client.addAsset(for: url) else { return false }
        try await client.setCover(cover, of: asset.id)
        return true
    }

    private func frame(_ gateway: APIGateway?) async throws -> Cover? {
        let decoder = FrameDecoder(of: input, gateway: gateway, cacheFolder: cacheFolder)
        if let cover = try await decoder.frame(at: time ?? FrameTime.usual, of: input.name) { return cover }
        guard time == nil else { return nil }
        // The film can be shorter than the default time.
        return try await decoder.frame(at: 0, of: input.name)
    }
}

/// The result of `cover`.
struct CoverResult: Encodable, Sendable {
    var input: String
    var type: String
    var size: Int
    var source: CoverJob.Source
    var isStored: Bool
    @Nullable var output: String?

    init(_ found: CoverJob.Found, input: String, output: String?) {
        self.input = input
        self.output = output
        type = found.cover.mediaType
        size = found.cover.bytes.count
        source = found.source
        isStored = found.isStored
    }

    var text: String {
        let name =
            switch source {
            case .stored: "Stored cover"
            case .embedded: "Embedded picture"
            case .frame: "Frame"
            }
        let picture = "\(name) (\(type), \(ByteCount(Int64(size))))"
        return Table.printable(output.map { "\(picture) written to \($0)." } ?? "\(picture) of \(input).")
    }
}
