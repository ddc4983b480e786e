/// A part of a stream of which something couldn't be carried over, and stays a gap.
public struct DamagedPart: Sendable, Hashable {
    /// The part.
    public var part: StreamPart
    /// The reason, for people.
    public var reason: String
}
