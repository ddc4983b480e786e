import Foundation

/// A JSON value that distinguishes numbers from booleans.
enum JSONValue: Decodable {
    case null
    case boolean
    case integer
    case number
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    init(_ text: some StringProtocol) throws {
        self = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if (try? container.decode(Bool.self)) != nil {
            self = .boolean
        } else if (try? container.decode(Int64.self)) != nil {
            self = .integer
        } else if (try? container.decode(Double.self)) != nil {
            self = .number
        } else if let text = try? container.decode(String.self) {
            self = .string(text)
        } else if let elements = try? container.decode([JSONValue].self) {
            self = .array(elements)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// Returns this object, such as a box, and all its descendants in the arrays at a key, each without its children,
    /// because the depth of a tree isn't part of its shape.
    func levels(of key: String) -> [JSONValue] {
        guard case .object(var fields) = self, case .array(let children) = fields[key] else { return [self] }
        fields[key] = .array([])
        return [.object(fields)] + children.flatMap { $0.levels(of: key) }
    }

    func has(_ key: String) -> Bool {
        guard case .object(let fields) = self else { return false }
        return fields[key] != nil
    }

    func text(_ key: String) -> String? {
        guard case .object(let fields) = self, case .string(let text) = fields[key] else { return nil }
        return text
    }
}

/// The structure of one or more JSON values: their keys and types, without content that varies between runs.
struct JSONShape {
    /// The keys whose values come from a fixed set, and are shown.
    private static let words: Set = [
        "channelState", "code", "event", "exportState", "format", "kind", "role", "severity", "source", "state",
    ]
    /// The keys of numbers that may have a fraction but don't always.
    private static let fractions: Set = [
        "bitRate", "duration", "frameRate", "gapSeconds", "progress", "rate", "seconds", "secondsReady", "start",
    ]

    private var types: Set<String> = []
    private var objects = 0
    private var fields: [String: (shape: JSONShape, count: Int)] = [:]
    /// The common shape of all elements of an array: one shape or none.
    private var element: [JSONShape] = []

    init() {}

    init(_ value: JSONValue) { add(value) }

    mutating func add(_ value: JSONValue, at key: String = "") {
        switch value {
        case .null: types.insert("null")
        case .boolean: types.insert("boolean")
        case .integer: types.insert(Self.fractions.contains(key) ? "number" : "integer")
        case .number: types.insert("number")
        case .string(let text): types.insert(Self.words.contains(key) ? "“\(text)”" : "string")
        case .array(let values):
            types.insert("array")
            for value in values.flatMap({ $0.levels(of: key) }) {
                var shape = element.first ?? JSONShape()
                shape.add(value)
                element = [shape]
            }
        case .object(let values):
            types.insert("object")
            objects += 1
            for (key, value) in values {
                var field = fields[key] ?? (JSONShape(), 0)
                field.shape.add(value, at: key)
                field.count += 1
                fields[key] = field
            }
        }
    }

    /// Returns a line for each path, sorted by key. `?` marks a key that some objects lack.
    func lines(at path: String = "") -> [String] {
        var types = types
        if types.contains("number") { types.remove("integer") }
        if types.contains("array") {
            types.remove("array")
            types.insert(element.first.map { "array of \($0.typeText)" } ?? "array, empty")
        }
        if types.contains("object"), fields.isEmpty {
            types.remove("object")
            types.insert("object, empty")
        }
        // A path with keys needs no line of its own.
        let isPlainObject = types == ["object"]
        let own = isPlainObject ? [] : ["\(path.isEmpty ? "." : path): \(types.sorted().joined(separator: " | "))"]
        let below = fields.sorted { $0.key < $1.key }.flatMap { key, field in
            field.shape.lines(at: "\(path).\(key)\(field.count < objects ? "?" : "")")
        }
        return own + below + element.flatMap { $0.lines(at: "\(path)[]") }.filter { !isScalar($0, at: "\(path)[]") }
    }

    private var typeText: String {
        var types = types
        if types.contains("number") { types.remove("integer") }
        return types.sorted().joined(separator: " | ")
    }

    /// Returns whether a line only repeats the element type stated in the array's line.
    private func isScalar(_ line: String, at path: String) -> Bool {
        element.first.map { $0.fields.isEmpty && $0.element.isEmpty && line.hasPrefix("\(path): ") } ?? false
    }
}
