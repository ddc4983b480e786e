import Testing

@testable import MediaCache

struct AddressScopeTests {
    /// The host and peer of a document and the scope of its request, with the resulting scope of its references.
    @Test(
        arguments: [
            ("192.168.0.9", .local, .any, .any), ("192.168.0.9", .local, .publicOnly, .publicOnly),
            ("cdn.example", .global, .any, .publicOnly), ("cdn.example", .unknown, .any, .publicOnly),
            ("tuner.local", .unknown, .any, .any), ("tuner.local", .unknown, .publicOnly, .publicOnly),
            ("127.0.0.1", .unknown, .any, .any), ("rebinding.example", .local, .any, .any),
            // Names that look local but have global addresses.
            ("tuner.local", .global, .any, .publicOnly), ("dk", .global, .any, .publicOnly),
        ] as [(String, AddressKind, AddressScope, AddressScope)])
    func permitsLocalReferencesOnlyInLocalDocuments(
        _ host: String, _ peer: AddressKind, _ scope: AddressScope, _ expected: AddressScope
    ) throws {
        let url = try ResourceURL("http://\(host)/index.m3u8")
        #expect(AddressScope(ofReferencesAt: url, from: peer, requestedWith: scope) == expected)
    }
}
