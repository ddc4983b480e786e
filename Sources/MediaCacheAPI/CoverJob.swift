internal import MediaCache
public import MediaLibrary

/// A job that finds the cover of a song or a film: the stored cover, an embedded picture, or a frame.
public struct CoverJob: Sendable {
    /// The source of a picture.
    public enum Source: String, Encodable, Sendable {
        /// The stored cover of the asset.
        case stored
        /// A picture in the metadata of the file.
        case embedded
        /// A decoded frame.
        case frame
    }

    /// The result of a job.
    public struct Found: Sendable {
        /// The picture.
        public var cover: Cover
        /// The source of the picture.
        public var source: Source
        /// Whether the picture is now the stored cover of the asset.
        public var isStored: Bool
        /// The reason why the picture couldn't be stored; nil if it was stored or needn't be.
        public var storageError: (any Error)?

        /// Creates a result.
        public init(cover: Cover, source: Source, isStored: Bool) {
            self.cover = cover
            self.source = source
            self.isStored = isStored
        }
    }

    /// The song or film.
    public var input: MediaInput
    /// The song or film in the cache, whose asset has the cover; nil for a file.
    public var reference: AssetReference?
    /// The time of a frame in seconds; nil for an existing picture, or a frame at the default time.
    public var time: Double?
    /// Whether the picture becomes the cover of the asset.
    public var stores: Bool
    /// A function that decodes the frame at a time in seconds, or returns nil if the input has no frame there.
    public var decodeFrame: @Sendable (Double) async throws -> Cover?

    /// Creates a job.
    ///
    /// - Parameter reference: The reference to the asset; nil for the URL of the input.
    public init(
        input: MediaInput, of reference: AssetReference? = nil, time: Double? = nil, stores: Bool,
        decodeFrame: @escaping @Sendable (Double) async throws -> Cover?
    ) {
        self.input = input
        self.reference = reference
        if reference == nil, case .url(let url) = input { self.reference = .url(url) }
        self.time = time
        self.stores = stores
        self.decodeFrame = decodeFrame
    }

    /// Finds the cover.
    ///
    /// - Parameter client: The client of the cache through which a URL is read, and which stores its cover; nil for a
    ///   file.
    /// - Throws: `MediaJobError` if there is neither a picture nor a frame; if `time` is set, the errors of storing the
    ///   cover; the errors of `decodeFrame`; ``Problem``, ``APIClientError`` or `CancellationError`.
    public func run(_ client: APIClient?) async throws -> Found {
        if time == nil, let client, let reference,
            let asset = try await client.asset(of: reference), asset.cover != nil,
            let cover = try await client.cover(of: asset.id)
        {
            return Found(cover: cover, source: .stored, isStored: true)
        }
        let gateway = client.map { APIGateway(client: $0) }
        let embedded = time == nil ? try await Cover.embedded(in: input, gateway: gateway) : nil
        var frame: Cover?
        if embedded == nil { frame = try await self.frame() }
        guard let cover = embedded ?? frame else {
            throw MediaJobError(
                .failed, "\(input.name) has no picture or video frame" + (time == nil ? "" : " at that time"))
        }
        var found = Found(cover: cover, source: embedded == nil ? .frame : .embedded, isStored: false)
        if stores, let client, let reference {
            do {
                found.isStored = try await client.setCover(cover, of: reference)
            } catch {
                // Storing was requested explicitly only with a time.
                guard time == nil else { throw error }
                try Task.checkCancellation()
                found.storageError = error
            }
        }
        return found
    }

    private func frame() async throws -> Cover? {
        if let cover = try await decodeFrame(time ?? FrameTime.usual) { return cover }
        guard time == nil else { return nil }
        // The film can be shorter than the default time.
        return try await decodeFrame(0)
    }
}
