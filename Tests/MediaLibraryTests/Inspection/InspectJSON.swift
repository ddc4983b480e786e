import Foundation
import MediaCache

@testable import MediaLibrary

/// A JSON value: an inspection's record or an expected result.
enum InspectJSON: Equatable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([InspectJSON])
    case object([String: InspectJSON])

    init(decoding data: Data) throws {
        self.init(try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed))
    }

    private init(_ value: Any) {
        switch value {
        case let members as [String: Any]: self = .object(members.mapValues { InspectJSON($0) })
        case let items as [Any]: self = .array(items.map { InspectJSON($0) })
        case let text as String: self = .string(text)
        // Foundation represents Booleans as numbers of type `char`.
        case let number as NSNumber where number.objCType.pointee == CChar(bitPattern: UInt8(ascii: "c")):
            self = .bool(number.boolValue)
        case let number as NSNumber: self = .number(number.doubleValue)
        default: self = .null
        }
    }

    init(of text: String, base: String? = nil) throws { try self.init(bytes: Array(text.utf8), base: base) }

    init(bytes: [UInt8], base: String? = nil) throws {
        let body = PlaylistBody(bytes: bytes, name: "test")
        let inspection = try PlaylistInspection(body, base: base.map { try ResourceURL($0) })
        try self.init(decoding: try JSONEncoder().encode(inspection.record))
    }

    /// The value of a member, or null if it is absent.
    subscript(_ key: String) -> InspectJSON {
        if case .object(let members) = self { members[key] ?? .null } else { .null }
    }

    /// The value of an element, or null past the end.
    subscript(_ index: Int) -> InspectJSON { array.indices.contains(index) ? array[index] : .null }

    var array: [InspectJSON] { if case .array(let items) = self { items } else { [] } }
    var object: [String: InspectJSON] { if case .object(let members) = self { members } else { [:] } }
    var keys: Set<String> { Set(object.keys) }
    var string: String? { if case .string(let text) = self { text } else { nil } }
    var number: Double? { if case .number(let number) = self { number } else { nil } }

    /// Returns this value, or `other` if it is null.
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
    init(dictionaryLiteral elements: (String, InspectJSON)...) { self = .object(Dictionary(elements) { $1 }) }
    init(nilLiteral: ()) { self = .null }
}
