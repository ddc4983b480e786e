package import MediaCache

/// Where recordings live: their media by name, and the pages of their timelines. Nothing else knows where that is.
///
/// On one machine it's a cache folder (``CacheRecordingStore``). Media goes in and out as representations, never as one
/// piece of memory; a page is a small file.
package protocol RecordingStore: Sendable {
    /// The names of a recording's files beside its media: pages, and what was given up.
    func files(of recording: RecordingID) async throws -> [String]
    /// Files by name, in order; nil for those that aren't there.
    func read(_ names: [String], of recording: RecordingID) async throws -> [[UInt8]?]
    /// Writes a file in place of the one of this name. Returns when it's durable.
    func write(_ bytes: [UInt8], as name: String, of recording: RecordingID) async throws
    /// Deletes files; those that aren't there are passed over. Returns when that is durable.
    func removeFiles(_ names: [String], of recording: RecordingID) async throws
    /// Fetches what is missing of a part, which is kept under its own name, and looks whether it's what was asked for.
    func fetch(_ part: AssetPart, settings: TransferSettings, group: TransferGroup) async throws -> FetchedPart
    /// The number of bytes of a part that have been received; 0 where that can't be told.
    func receivedBytes(of part: AssetPart) async -> Int64
    /// Makes durable all that was fetched before the call.
    func commit() async throws
    /// Gives up parts by the names that they are kept as. What somebody reads goes when the last of them leaves.
    func removeParts(_ names: [String]) async throws
    /// Gives up all parts of a recording, likewise.
    func removeAllParts(of recording: RecordingID) async throws
    /// How many bytes are free where media is kept.
    func freeBytes() async throws -> Int64
}
