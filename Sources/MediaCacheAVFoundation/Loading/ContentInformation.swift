/// What a player has to know of a resource before it plays it.
struct ContentInformation: Sendable, Hashable {
    /// The media type, as `video/mp4`: never a generic one where the bytes or the URL tell.
    var mediaType: String
    /// How many bytes it has; nil while its origin doesn't say.
    var length: Int64?
    /// Whether any range of it may be asked for: not while its length isn't known.
    var isByteRangeAccessSupported: Bool { length != nil }
}
