/// A tag with an attribute list (RFC 8216bis §4.2). Its typed properties read and write the list.
public protocol AttributeTag: Sendable, Hashable {
    /// The attributes in the order in which they were written, including unknown attributes.
    var attributes: AttributeList { get set }

    /// Creates a tag from attributes. Required attributes may be missing.
    init(attributes: AttributeList)
}

/// The syntax of one attribute of a tag.
struct AttributeRule {
    let name: AttributeName
    let type: AttributeType
    let isRequired: Bool
    /// The ``TagRecord`` value of an absent attribute; nil for the type's default.
    var absent: TagRecord.Value?

    static func required(
        _ name: AttributeName, _ type: AttributeType, absent: TagRecord.Value? = nil
    ) -> AttributeRule {
        AttributeRule(name: name, type: type, isRequired: true, absent: absent)
    }

    static func optional(_ name: AttributeName, _ type: AttributeType) -> AttributeRule {
        AttributeRule(name: name, type: type, isRequired: false)
    }
}

/// The type of an attribute's value (RFC 8216bis §4.2).
enum AttributeType {
    case quoted
    case integer
    case decimal
    case signedDecimal
    case hexadecimal
    case resolution
    case flag
    /// The enumerated string YES.
    case yes
    case enumerated([String])
    /// An enumerated string, including one that the RFC doesn't define.
    case anyEnumerated
    case quotedByteRange
    case quotedDate
    /// A quoted, tab-separated list.
    case quotedTabList
    /// A quoted string or an enumerated string. Only CLOSED-CAPTIONS has this type.
    case any

    func accepts(_ value: AttributeValue) -> Bool {
        switch self {
        case .any: return true
        case .quoted, .quotedTabList: return value.isQuoted
        case .quotedByteRange: return value.isQuoted && ByteRange(value.text) != nil
        case .quotedDate: return value.isQuoted && DateTime(value.text).nanosecondsSinceEpoch != nil
        case .integer: return !value.isQuoted && !value.text.isEmpty && value.text.utf8.allSatisfy(\.isDigit)
        case .decimal:
            guard let number = DecimalValue(value.text) else { return false }
            return !value.isQuoted && number.significand >= 0
        case .signedDecimal: return !value.isQuoted && DecimalValue(value.text) != nil
        case .hexadecimal: return !value.isQuoted && HexadecimalSequence(value.text) != nil
        case .resolution: return !value.isQuoted && Resolution(value.text) != nil
        case .flag: return !value.isQuoted && (value.text == "YES" || value.text == "NO")
        case .yes: return !value.isQuoted && value.text == "YES"
        case .enumerated(let names): return !value.isQuoted && names.contains(value.text)
        case .anyEnumerated: return !value.isQuoted && !value.text.isEmpty
        }
    }

    /// The type's name in diagnostics.
    var name: String {
        switch self {
        case .quoted, .quotedTabList: "a quoted string"
        case .integer: "a decimal integer"
        case .decimal: "a decimal number"
        case .signedDecimal: "a signed decimal number"
        case .hexadecimal: "a hexadecimal sequence"
        case .resolution: "a resolution"
        case .flag: "YES or NO"
        case .yes: "YES"
        case .enumerated(let names): "one of " + names.joined(separator: ", ")
        case .anyEnumerated: "an enumerated string"
        case .quotedByteRange: "a quoted byte range"
        case .quotedDate: "a quoted date and time"
        case .any: "a value"
        }
    }
}
