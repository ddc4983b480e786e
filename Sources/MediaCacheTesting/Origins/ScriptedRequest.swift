public import HTTPTypes
public import MediaCache

/// A request that a scripted origin got, and what became of it.
public struct ScriptedRequest: Sendable {
    /// How far an exchange has come.
    public enum Progress: Sendable, Hashable {
        /// The response is being sent.
        case running
        /// All that was to be sent has been taken.
        case complete
        /// The reader cancelled, or closed the connection.
        case cancelled
        /// The script broke it off.
        case broken
    }

    /// 0 for the first request the origin got.
    public let number: Int
    /// The URL asked for.
    public let url: ResourceURL
    /// The header fields as they came.
    public let headerFields: HTTPFields
    /// The range asked for, if there is a single one that can be read.
    public let range: RequestedRange?
    /// How long it was ready to wait for what.
    public let limits: TransferLimits
    /// The status it's answered with.
    public internal(set) var status: Int
    /// Body bytes handed over so far.
    public internal(set) var bodyBytes: Int64 = 0
    /// How far it has come.
    public internal(set) var progress: Progress = .running
}
