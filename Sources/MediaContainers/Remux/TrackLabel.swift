/// What is said of a track outside of its container, as playlists do.
public struct TrackLabel: Sendable, Hashable {
    /// The language (BCP 47); nil where nothing says, which leaves what the container says.
    public var language: String?
    /// What people call it.
    public var name: String?
    /// Whether it's the one to play where nobody chooses.
    public var isDefault: Bool

    /// A label; without arguments, of a track of which nothing is said.
    public init(language: String? = nil, name: String? = nil, isDefault: Bool = false) {
        self.language = language
        self.name = name
        self.isDefault = isDefault
    }
}
