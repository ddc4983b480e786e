/// The items of a query (`a=1&b=2`), decoded.
struct QueryItems: Sendable, Hashable {
    private let items: [(name: String, value: String)]

    /// Reads a query without its `?`. Items that can't be decoded are left out.
    init(_ query: some StringProtocol) {
        items = query.split(separator: "&").compactMap { item in
            let equals = item.firstIndex(of: "=")
            let name = PercentCoding.decode(item[..<(equals ?? item.endIndex)], plusIsSpace: true)
            let value = equals.map { PercentCoding.decode(item[item.index(after: $0)...], plusIsSpace: true) } ?? ""
            guard let name, let value else { return nil }
            return (name, value)
        }
    }

    /// All of them, in order.
    var all: [(name: String, value: String)] { items }

    /// The first value of a name.
    subscript(name: String) -> String? {
        items.first { $0.name == name }?.value
    }

    static func == (a: QueryItems, b: QueryItems) -> Bool {
        a.items.elementsEqual(b.items) { $0.name == $1.name && $0.value == $1.value }
    }

    func hash(into hasher: inout Hasher) {
        for item in items {
            hasher.combine(item.name)
            hasher.combine(item.value)
        }
    }
}
