/// A value in the configuration file.
enum ConfigurationValue: Codable, Sendable, Hashable {
    case null
    case flag(Bool)
    case number(Double)
    case text(String)
    case list([ConfigurationValue])
    case object([String: ConfigurationValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let list = try? container.decode([ConfigurationValue].self) {
            self = .list(list)
        } else {
            self = .object(try container.decode([String: ConfigurationValue].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .flag(let flag): try container.encode(flag)
        case .number(let number) where number == number.rounded() && abs(number) < 0x1p53:
            try container.encode(Int64(number))
        case .number(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        case .list(let list): try container.encode(list)
        case .object(let object): try container.encode(object)
        }
    }

    /// The value as text on the command line; nil for null, an array or an object.
    var plainText: String? {
        switch self {
        case .flag(let flag): "\(flag)"
        case .number(let number):
            number == number.rounded() && abs(number) < 0x1p53 ? "\(Int64(number))" : "\(number)"
        case .text(let text): text
        case .null, .list, .object: nil
        }
    }
}
