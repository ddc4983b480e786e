/// A protection system's header, `pssh` (ISO/IEC 23001-7, 8.1).
public struct ProtectionSystem: Sendable, Hashable {
    /// The system's id.
    public var systemID: UserType
    /// The size of what follows the id, in bytes; its content is the system's own.
    public var size: Int
}
