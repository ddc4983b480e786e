import MediaCache
import NIOCore

/// Says which connected addresses a request of ``AddressScope/publicOnly`` may go to.
struct AddressGuard: Sendable {
    /// A connection was refused because of where it led.
    struct Refusal: Error {
        var address: String
    }

    /// Local ranges that may be asked all the same.
    var exceptions: [AddressRange]

    /// - Throws: ``Refusal``.
    func check(_ address: IPAddress) throws {
        guard address.kind == .local, !exceptions.contains(where: { $0.contains(address) }) else { return }
        throw Refusal(address: address.description)
    }

    /// - Throws: ``Refusal``, also for an address that isn't known.
    func check(_ address: SocketAddress?) throws {
        guard let known = address.flatMap({ IPAddress($0) }) else {
            throw Refusal(address: address?.description ?? "an unknown address")
        }
        try check(known)
    }
}
