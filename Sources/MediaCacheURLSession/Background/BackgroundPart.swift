public import MediaCache

extension BackgroundTransfers {
    /// A resource, or a byte range of it, to fetch.
    public struct Part: Sendable, Hashable {
        /// The URL of the resource.
        public var url: ResourceURL
        /// The addresses that may be contacted: `any` for a URL entered by the user, or the scope of an asset's part.
        public var scope: AddressScope
        /// The byte range to fetch; nil for all bytes.
        public var range: Range<Int64>?
        /// The kind of the resource, for transforms.
        public var kind: ResourceKind

        /// Creates a part. By default, it is a whole resource at a public address.
        public init(
            _ url: ResourceURL, scope: AddressScope = .publicOnly, range: Range<Int64>? = nil,
            kind: ResourceKind = .file
        ) {
            self.url = url
            self.scope = scope
            self.range = range
            self.kind = kind
        }
    }
}
