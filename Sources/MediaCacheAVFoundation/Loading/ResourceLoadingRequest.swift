import MediaCache

/// What a player asks an app for: `AVAssetResourceLoadingRequest`, in words that need no Apple system.
///
/// ``ResourceLoader`` calls it from one task, in the order of the methods here, and not at all once the request was cancelled.
protocol ResourceLoadingRequest: AnyObject, Sendable {
    /// The URL that is asked for.
    var url: String { get }
    /// Whether the player wants to know what the resource is.
    var wantsContentInformation: Bool { get }
    /// The bytes that it wants; nil where it wants none.
    var data: RequestedData? { get }

    /// Says what the resource is.
    func provide(_ information: ContentInformation)
    /// Gives the player the bytes that come next. Returns when it has taken them: no more are read before.
    func respond(with bytes: [UInt8]) async
    /// All that was asked for has been given.
    func finish()
    /// Nothing more will come.
    func finish(with error: CacheError)
}
