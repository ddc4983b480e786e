import MediaCacheAPI

/// The items of a query (`a=1&b=2`), decoded.
struct QueryItems: Sendable {
    let all: [(name: String, value: String)]

    /// Parses a query without its `?`. Items that can't be decoded are ignored.
    init(_ query: some StringProtocol) {
        all = query.split(separator: "&").compactMap { item in
            let equals = item.firstIndex(of: "=")
            let name = PercentCoding.decode(item[..<(equals ?? item.endIndex)], plusIsSpace: true)
            let value = equals.map { PercentCoding.decode(item[item.index(after: $0)...], plusIsSpace: true) } ?? ""
            guard let name, let value else { return nil }
            return (name, value)
        }
    }

    subscript(name: String) -> String? { all.first { $0.name == name }?.value }

    /// Returns the Boolean value of the first item with this name; false if there is none.
    ///
    /// - Throws: ``Problem`` if the value is neither true nor false.
    func flag(_ name: String) throws -> Bool {
        switch self[name] {
        case nil, "false", "0": false
        case "true", "1", "": true
        case .some(let other): throw Problem.badRequest("\(name) must be true or false, not “\(other)”")
        }
    }

    /// Returns the finite number of the first item with this name; nil if there is none.
    ///
    /// - Throws: ``Problem`` if the value isn't such a number, or is less than `minimum`.
    func seconds(_ name: String, from minimum: Double = -.infinity) throws -> Double? {
        guard let text = self[name] else { return nil }
        guard let seconds = Double(text), seconds.isFinite, seconds >= minimum else {
            throw Problem.badRequest("\(name) must be a number of seconds, not “\(text)”")
        }
        return seconds
    }
}

/// Percent-encoding (RFC 3986 §2.1).
enum PercentCoding {
    /// Returns `text` with every `%XX` replaced by its byte; nil if an escape is malformed or the result isn't UTF-8.
    static func decode(_ text: some StringProtocol, plusIsSpace: Bool = false) -> String? {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
            return String(text)
        }
        var output: [UInt8] = []
        output.reserveCapacity(text.utf8.count)
        var iterator = text.utf8.makeIterator()
        while let byte = iterator.next() {
            if byte == UInt8(ascii: "%") {
                guard let high = iterator.next().flatMap(digit), let low = iterator.next().flatMap(digit) else {
                    return nil
                }
                output.append(high << 4 | low)
            } else if byte == UInt8(ascii: "+"), plusIsSpace {
                output.append(0x20)
            } else {
                output.append(byte)
            }
        }
        return String(validating: output, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}
