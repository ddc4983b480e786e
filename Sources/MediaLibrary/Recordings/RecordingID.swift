internal import MediaCache

/// What a recording is called on the disk, whatever people call its channel: a channel that is made again under a name
/// that another had shares nothing with it.
package struct RecordingID: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
    /// 16 letters and digits.
    package let rawValue: String

    /// A new one.
    package init() { rawValue = AssetID().rawValue }

    /// The one of this name; nil for what can't be one.
    package init?(rawValue: String) {
        guard AssetID(rawValue: rawValue) != nil else { return nil }
        self.rawValue = rawValue
    }

    /// Its name.
    package var description: String { rawValue }

    /// What something of a track is kept as in the store.
    package func keptName(_ name: String, track: String) -> String { "\(keptFolder)\(track)/\(name)" }

    /// What the names begin with that all of it is kept as.
    package var keptFolder: String { "recording/\(rawValue)/" }
}
