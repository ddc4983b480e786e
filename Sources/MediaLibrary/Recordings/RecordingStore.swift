package import MediaCache

/// A store for the media of recordings and the pages of their timelines.
package protocol RecordingStore: Sendable {
    /// Returns the names of a recording's files other than its media: pages and sets of removed segments.
    func files(of recording: RecordingID) async throws -> [String]
    /// Returns the contents of files, in the order of `names`; nil for missing files.
    func read(_ names: [String], of recording: RecordingID) async throws -> [[UInt8]?]
    /// Replaces a file. Returns when the change is durable.
    func write(_ bytes: [UInt8], as name: String, of recording: RecordingID) async throws
    /// Deletes files; ignores missing ones. Returns when the change is durable.
    func removeFiles(_ names: [String], of recording: RecordingID) async throws
    /// Fetches the missing bytes of a part into the cache, pins it, and checks that its content is of the expected
    /// kind. Throws `CacheError`, with `notMedia` for other content.
    func fetch(_ part: AssetPart, settings: TransferSettings, group: TransferGroup) async throws -> FetchedPart
    /// Returns the number of bytes of a part that have been received; 0 if unknown.
    func receivedBytes(of part: AssetPart) async -> Int64
    /// Makes all parts fetched before the call durable.
    func commit() async throws
    /// Removes parts by cache key; ignores missing ones. A part in use is removed when its last reader finishes.
    func removeParts(_ names: [String]) async throws
    /// Removes all parts of a recording. A part in use is removed when its last reader finishes.
    func removeAllParts(of recording: RecordingID) async throws
    /// Returns the number of free bytes on the volume of the media.
    func freeBytes() async throws -> Int64
}

/// The result of fetching a part.
package struct FetchedPart: Sendable, Hashable {
    /// The length in bytes.
    package var length: Int64
    /// Whether the origin wrapped the media in other bytes.
    package var isWrapped: Bool
    /// The number of bytes up to the end of the first frame; 0 if it isn't known or the frame can't be decoded
    /// independently.
    package var firstFrameLength: Int64 = 0
}

/// The identifier of a recording on disk, so that a new channel never reuses the files of a deleted channel with the
/// same name.
package struct RecordingID: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
    /// The identifier, in the form of an ``AssetID``.
    package let rawValue: String

    package init() { rawValue = AssetID().rawValue }

    package init?(rawValue: String) {
        guard AssetID(rawValue: rawValue) != nil else { return nil }
        self.rawValue = rawValue
    }

    package var description: String { rawValue }

    /// Returns the cache key of a part in a track's folder.
    package func storedName(_ name: String, track: String) -> String { "\(storedFolder)\(track)/\(name)" }

    /// The common prefix of the recording's cache keys.
    package var storedFolder: String { "recording/\(rawValue)/" }
}
