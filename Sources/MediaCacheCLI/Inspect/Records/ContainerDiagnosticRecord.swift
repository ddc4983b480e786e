import MediaContainers

/// Damage that reading went past, in JSON.
struct ContainerDiagnosticRecord: Encodable, Sendable {
    /// The kind of damage.
    var code: String
    /// What was wrong.
    var message: String
    /// Where: bytes from the beginning, about.
    var offset: Int64
    /// The track's id, where it's one track's.
    @Nullable var track: UInt32?

    /// The record of a finding.
    init(_ diagnostic: ContainerDiagnostic) {
        code = diagnostic.code.rawValue
        message = diagnostic.what
        offset = diagnostic.offset
        track = diagnostic.track
    }
}
