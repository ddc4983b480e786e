/// A tag whose value is an attribute list (RFC 8216bis, section 4.2).
///
/// The list is what is stored; properties of the conforming types are views of it.
public protocol AttributeTag: Sendable, Hashable {
    /// The attributes, in order, unknown ones among them.
    var attributes: AttributeList { get set }

    /// A tag with attributes, complete or not.
    init(attributes: AttributeList)
}
