import MediaCache

/// A request of a player to the app: a portable form of `AVAssetResourceLoadingRequest`.
///
/// ``ResourceLoader`` calls the methods from one task, in the order in which they are declared, and calls none after
/// the request has been cancelled.
protocol ResourceLoadingRequest: AnyObject, Sendable {
    /// The requested URL.
    var url: String { get }
    /// Whether the player requests the content information.
    var wantsContentInformation: Bool { get }
    /// The requested bytes; nil for none.
    var data: RequestedData? { get }

    /// Passes the content information to the player.
    func provide(_ information: ContentInformation)
    /// Passes the next bytes to the player. Returns when the player has accepted them; the loader reads no more before.
    func respond(with bytes: [UInt8]) async
    /// Ends the request after all requested bytes.
    func finish()
    /// Ends the request with an error.
    func finish(with error: CacheError)
}

/// The properties of a resource that a player requests before it plays.
struct ContentInformation: Sendable, Hashable {
    /// The media type, such as `video/mp4`. It is generic only if neither the bytes nor the URL reveal the type.
    var mediaType: String
    /// The length in bytes; nil while unknown.
    var length: Int64?
    /// Whether any range may be requested, which requires a known length.
    var isByteRangeAccessSupported: Bool { length != nil }
}

/// The byte range that a player requests.
struct RequestedData: Sendable, Hashable {
    /// The offset of the first byte.
    var offset: Int64
    /// The number of bytes. For a request to the end of the resource, this is the player's assumption.
    var length: Int64
    /// Whether all bytes up to the end of the resource are requested (`requestsAllDataToEndOfResource`).
    var isToEnd = false
}
