import Foundation

@testable import MediaCacheCLI

/// JSON as `inspect --json` prints it, and as others' expected results are written.
enum InspectJSON: Equatable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([InspectJSON])
    case object([String: InspectJSON])

    /// Decodes a text.
    init(decoding data: Data) throws {
        self.init(try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed))
    }

    private init(_ value: Any) {
        switch value {
        case let members as [String: Any]: self = .object(members.mapValues { InspectJSON($0) })
        case let items as [Any]: self = .array(items.map { InspectJSON($0) })
        case let text as String: self = .string(text)
        // Foundation has one type for both; only a truth is of the type `char`.
        case let number as NSNumber where number.objCType.pointee == CChar(bitPattern: UInt8(ascii: "c")):
            self = .bool(number.boolValue)
        case let number as NSNumber: self = .number(number.doubleValue)
        default: self = .null
        }
    }

    /// What is printed for a playlist.
    init(of text: String, base: String? = nil) throws {
        try self.init(bytes: Array(text.utf8), base: base)
    }

    /// What is printed for a playlist.
    init(bytes: [UInt8], base: String? = nil) throws {
        let body = InspectedBody(bytes: bytes, name: "test")
        let inspection = try Inspection(body, base: base.map { try URLArgument.parse($0) })
        let printed = try JSONOutput.text(PlaylistRecord(inspection))
        try self.init(decoding: Data(printed.utf8))
    }

    /// A member; null where there is none.
    subscript(_ key: String) -> InspectJSON {
        if case .object(let members) = self { members[key] ?? .null } else { .null }
    }

    /// An item; null past the end.
    subscript(_ index: Int) -> InspectJSON {
        array.indices.contains(index) ? array[index] : .null
    }

    var array: [InspectJSON] { if case .array(let items) = self { items } else { [] } }
    var object: [String: InspectJSON] { if case .object(let members) = self { members } else { [:] } }
    var keys: Set<String> { Set(object.keys) }
    var string: String? { if case .string(let text) = self { text } else { nil } }
    var number: Double? { if case .number(let number) = self { number } else { nil } }
    var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// This value, or another where it's null.
    func or(_ other: InspectJSON) -> InspectJSON { self == .null ? other : self }
}

extension InspectJSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    init(stringLiteral value: String) { self = .string(value) }
    init(integerLiteral value: Int) { self = .number(Double(value)) }
    init(floatLiteral value: Double) { self = .number(value) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(arrayLiteral elements: InspectJSON...) { self = .array(elements) }
    init(dictionaryLiteral elements: (String, InspectJSON)...) {
        self = .object(Dictionary(elements) { $1 })
    }
    init(nilLiteral: ()) { self = .null }
}
