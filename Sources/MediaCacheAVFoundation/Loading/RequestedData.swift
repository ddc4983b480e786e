/// The bytes that a player asks for.
struct RequestedData: Sendable, Hashable {
    /// The first of them.
    var offset: Int64
    /// How many; of what is asked for to the end, what the player believes that to be.
    var length: Int64
    /// Whether all up to the end of the resource is asked for, however long that is
    /// (`requestsAllDataToEndOfResource`).
    var isToEnd = false
}
