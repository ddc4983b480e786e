/// A cue of WebVTT, with its times in ticks of the track that it is written to.
public struct WebVTTCue: Sendable, Hashable {
    /// When it is shown.
    public var start: Int64
    /// When it is shown no longer.
    public var end: Int64
    /// Its identifier, or nil.
    public var identifier: String?
    /// Its settings (`line:0 align:start`), or nil.
    public var settings: String?
    /// Its text, with markup.
    public var payload: String

    /// Creates a cue.
    public init(start: Int64, end: Int64, payload: String, identifier: String? = nil, settings: String? = nil) {
        self.start = start
        self.end = end
        self.payload = payload
        self.identifier = identifier
        self.settings = settings
    }
}
