package import MediaCache

/// The storage of recordings: media by name, and the pages of timelines.
///
/// ``CacheRecordingStore`` implements it with a cache folder. Media isn't loaded into memory as a whole. A page is a
/// small file.
package protocol RecordingStore: Sendable {
    /// Returns the names of a recording's files other than its media: pages and sets of removed segments.
    func files(of recording: RecordingID) async throws -> [String]
    /// Reads files by name, in order; nil for missing ones.
    func read(_ names: [String], of recording: RecordingID) async throws -> [[UInt8]?]
    /// Replaces a file. Returns when the change is durable.
    func write(_ bytes: [UInt8], as name: String, of recording: RecordingID) async throws
    /// Deletes files and ignores missing ones. Returns when the change is durable.
    func removeFiles(_ names: [String], of recording: RecordingID) async throws
    /// Fetches the missing bytes of a part, which is cached under its own name, and checks its content.
    func fetch(_ part: AssetPart, settings: TransferSettings, group: TransferGroup) async throws -> FetchedPart
    /// Returns the number of bytes of a part that have been received; 0 if unknown.
    func receivedBytes(of part: AssetPart) async -> Int64
    /// Makes all parts fetched before the call durable.
    func commit() async throws
    /// Removes parts by their cache names. A part in use is removed when its last reader finishes.
    func removeParts(_ names: [String]) async throws
    /// Removes all parts of a recording in the same way.
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
    /// The number of bytes from the start that contain the first picture; 0 if it can't be decoded by itself.
    package var firstPicture: Int64 = 0
}

/// The identifier of a recording on disk, independent of the channel's name: a new channel with the name of a deleted
/// one shares nothing with it.
package struct RecordingID: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
    /// The identifier: 16 letters and digits.
    package let rawValue: String

    /// Creates a new identifier.
    package init() { rawValue = AssetID().rawValue }

    /// Creates an identifier from its text; returns nil if it isn't a valid one.
    package init?(rawValue: String) {
        guard AssetID(rawValue: rawValue) != nil else { return nil }
        self.rawValue = rawValue
    }

    /// The text of the identifier.
    package var description: String { rawValue }

    /// Returns the cache name of a file in a track's folder.
    package func storedName(_ name: String, track: String) -> String { "\(storedFolder)\(track)/\(name)" }

    /// The common prefix of the recording's cache names.
    package var storedFolder: String { "recording/\(rawValue)/" }
}
