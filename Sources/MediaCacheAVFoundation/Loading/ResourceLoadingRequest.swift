import MediaCache

/// A player's request to the app, as an abstraction of `AVAssetResourceLoadingRequest` for all platforms.
///
/// ``ResourceLoader`` calls the methods from one task, in the order of declaration. A call that is in progress when the
/// request is cancelled may follow the cancellation, so the methods must ignore calls for ended requests.
protocol ResourceLoadingRequest: AnyObject, Sendable {
    /// The requested URL.
    var url: String { get }
    /// Whether the player requests the content information.
    var wantsContentInformation: Bool { get }
    /// The uniform type identifiers that the player allows for the resource; empty if it allows any.
    var allowedContentTypes: [String] { get }
    /// The requested bytes; nil for none.
    var data: RequestedData? { get }

    /// Returns the system's uniform type identifiers for a name, the preferred one first; empty if the system doesn't
    /// know the name.
    func typeIdentifiers(for name: TypeName) -> [String]

    /// Passes the content information to the player.
    func provide(_ information: ContentInformation)
    /// Passes the next bytes to the player. Returns when the player has accepted them. Until then, the loader reads no
    /// further bytes.
    func respond(with bytes: [UInt8]) async
    /// Completes the request, after all requested bytes have been passed.
    func finish()
    /// Ends the request with an error.
    func finish(with error: CacheError)
}

/// The properties of a resource that a player requests before playback.
struct ContentInformation: Sendable, Hashable {
    /// The media type, such as `video/mp4`. It is generic only if neither the bytes nor the URL reveal the type.
    var mediaType: String
    /// The uniform type identifier of the media type, such as `public.mpeg-4`; nil if the system knows none.
    var typeIdentifier: String?
    /// The length in bytes.
    var length: Int64
    /// Whether all bytes are cached. The player then requests small parts when it needs them. Otherwise it requests
    /// everything in advance and buffers what it receives.
    var isComplete = false
}

/// The byte range that a player requests.
struct RequestedData: Sendable, Hashable {
    /// The offset of the first byte.
    var offset: Int64
    /// The number of bytes. If ``isToEnd`` is true, this is only the player's assumption.
    var length: Int64
    /// Whether all bytes up to the end of the resource are requested (`requestsAllDataToEndOfResource`).
    var isToEnd = false
}
