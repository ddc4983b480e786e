import MediaCache

/// The bytes to inspect, and where they came from.
struct InspectedBody: Sendable {
    /// The body, without its content coding.
    var bytes: [UInt8]
    /// Where it came from, as messages name it.
    var name: String
    /// Where it came from after redirects, without user information; nil for what was read from this machine.
    var location: ResourceURL?
    /// The scope of everything that it names.
    var references = AddressScope.publicOnly
}
