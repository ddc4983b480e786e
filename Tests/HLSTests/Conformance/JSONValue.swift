/// A JSON value that can list its differences from another one.
enum JSONValue: Decodable, Equatable, CustomStringConvertible {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    init(_ text: String?) { self = text.map { .string($0) } ?? .null }
    init(_ number: Int?) { self = number.map { .number(Double($0)) } ?? .null }
    init(_ number: Double?) { self = number.map { .number($0) } ?? .null }

    /// Returns an object without its null members.
    static func members(_ members: [String: JSONValue]) -> JSONValue {
        .object(members.filter { $0.value != .null })
    }

    subscript(_ key: String) -> JSONValue {
        if case .object(let members) = self { members[key] ?? .null } else { .null }
    }

    var array: [JSONValue] { if case .array(let items) = self { items } else { [] } }
    var object: [String: JSONValue] { if case .object(let members) = self { members } else { [:] } }
    var string: String? { if case .string(let text) = self { text } else { nil } }

    var description: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .number(let value): "\(value)"
        case .string(let value): "\"\(value)\""
        case .array(let items): "[" + items.map(\.description).joined(separator: ", ") + "]"
        case .object(let members):
            "{" + members.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ") + "}"
        }
    }

    /// Returns the differences from an expected value. Numbers have a relative tolerance of 1e-9. A missing member
    /// equals null.
    func differences(from expected: JSONValue, at path: String = "") -> [String] {
        switch (self, expected) {
        case (.number(let left), .number(let right)):
            return abs(left - right) <= 1e-9 * max(1, abs(left), abs(right))
                ? [] : ["\(path): \(left), expected \(right)"]
        case (.array(let left), .array(let right)) where left.count == right.count:
            return zip(left, right).enumerated().flatMap { index, pair in
                pair.0.differences(from: pair.1, at: "\(path)[\(index)]")
            }
        case (.object(let left), .object(let right)):
            return Set(left.keys).union(right.keys).sorted().flatMap { key in
                (left[key] ?? .null).differences(from: right[key] ?? .null, at: "\(path).\(key)")
            }
        default:
            return self == expected ? [] : ["\(path): \(self), expected \(expected)"]
        }
    }
}
