/// The attributes of a tag, in the order in which they are written (RFC 8216bis, section 4.2).
///
/// A tag's type keeps its list, and its properties are views of it: attributes that the RFC doesn't know, their order
/// and the digits of their numbers survive reading, editing and writing.
public struct AttributeList: Sendable, Hashable, ExpressibleByDictionaryLiteral, CustomStringConvertible {
    /// One attribute.
    public struct Attribute: Sendable, Hashable {
        /// The name.
        public let name: AttributeName
        /// The value as it is written.
        public internal(set) var value: AttributeValue

        /// An attribute.
        public init(name: AttributeName, value: AttributeValue) {
            self.name = name
            self.value = value
        }
    }

    /// The attributes, in order. A name that stands twice, which the RFC forbids, is there twice.
    public private(set) var attributes: [Attribute]

    /// An empty list.
    public init() {
        attributes = []
    }

    /// Attributes in order.
    public init(dictionaryLiteral elements: (AttributeName, AttributeValue)...) {
        attributes = elements.map { Attribute(name: $0.0, value: $0.1) }
    }

    /// The value of an attribute: the last, where the name stands more than once. Setting it keeps its place, or adds
    /// it at the end; setting nil removes it.
    public subscript(name: AttributeName) -> AttributeValue? {
        get {
            attributes.last { $0.name == name }?.value
        }
        set {
            guard let newValue else {
                attributes.removeAll { $0.name == name }
                return
            }
            guard let place = attributes.firstIndex(where: { $0.name == name }) else {
                attributes.append(Attribute(name: name, value: newValue))
                return
            }
            attributes.removeAll { $0.name == name }
            attributes.insert(Attribute(name: name, value: newValue), at: place)
        }
    }

    /// The list as it is written after a tag's colon.
    public var description: String {
        attributes.map { "\($0.name)=\($0.value)" }.joined(separator: ",")
    }

    mutating func append(_ attribute: Attribute) {
        attributes.append(attribute)
    }
}
