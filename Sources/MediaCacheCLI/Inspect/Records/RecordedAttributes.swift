import HLS

/// The attributes of a tag on their way into a record: those that have a key of their own are taken, what is left goes
/// by its name.
struct RecordedAttributes {
    private let list: AttributeList
    private var taken: Set<AttributeName> = []

    /// All attributes of a tag.
    init(_ list: AttributeList) {
        self.list = list
    }

    /// A value's text.
    mutating func text(_ name: AttributeName) -> String? { take(name).text(name) }

    /// A decimal-integer.
    mutating func integer(_ name: AttributeName) -> Int? { take(name).integer(name) }

    /// A decimal-floating-point.
    mutating func decimal(_ name: AttributeName) -> Double? { take(name).decimal(name)?.doubleValue }

    /// Whether it's YES.
    mutating func flag(_ name: AttributeName) -> Bool { take(name).flag(name) ?? false }

    /// A decimal-resolution.
    mutating func resolution(_ name: AttributeName) -> Resolution? { take(name).resolution(name) }

    /// The others, as they are written: RFC 8216bis has clients ignore what it doesn't define, and a report shows it.
    var others: [String: String] {
        var texts: [String: String] = [:]
        for attribute in list.attributes where !taken.contains(attribute.name) {
            texts[attribute.name.rawValue] = attribute.value.text
        }
        return texts
    }

    private mutating func take(_ name: AttributeName) -> AttributeList {
        taken.insert(name)
        return list
    }
}
