import HLS

extension AttributeList {
    /// The attributes that aren't `known`, as they are written, by name: RFC 8216bis has clients ignore them, and a
    /// report shows them.
    func texts(without known: Set<AttributeName>) -> [String: String] {
        var texts: [String: String] = [:]
        for attribute in attributes where !known.contains(attribute.name) {
            texts[attribute.name.rawValue] = attribute.value.text
        }
        return texts
    }
}
