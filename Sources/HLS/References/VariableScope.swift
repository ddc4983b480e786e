/// The variables known at a place of a playlist, and their substitution (RFC 8216bis, section 4.3).
struct VariableScope {
    /// Why a definition gives no variable.
    enum Failure: Equatable {
        case noName
        case alreadyDefined(String)
        case notImportable(String)
        case noQueryItem(String)
        /// The variable is defined, with the reference in it as it is written.
        case undefinedReference(String)
        case tooLarge
    }

    /// Values may hold values: without a bound, thirty lines could name a gigabyte.
    static let valueLimit = 64 * 1024
    static let totalLimit = 1024 * 1024
    /// A playlist of short lines that each name a long value would grow ten thousand times.
    static let expansionLimit = 64 * 1024 * 1024

    private(set) var values: [String: String] = [:]
    private let context: PlaylistContext
    private var total = 0

    init(context: PlaylistContext) {
        self.context = context
    }

    /// Adds what an EXT-X-DEFINE tag defines (section 4.4.2.3); the reason why not otherwise.
    mutating func define(_ definition: VariableDefinition) -> Failure? {
        guard let source = definition.source else { return .noName }
        let name: String
        var value: String
        var undefined: [String] = []
        switch source {
        case .value(let newName, let text):
            name = newName
            var copy = text
            (value, undefined) = copy.withUTF8 { utf8 in
                let bytes = UnsafeRawBufferPointer(utf8)
                return substituting(bytes, 0..<bytes.count)
            }
        case .imported(let newName):
            guard let text = context.importableVariables[newName] else { return .notImportable(newName) }
            (name, value) = (newName, text)
        case .queryItem(let newName):
            guard let text = context.queryValue(newName) else { return .noQueryItem(newName) }
            (name, value) = (newName, text)
        }
        guard values[name] == nil else { return .alreadyDefined(name) }
        total += value.utf8.count
        guard value.utf8.count <= VariableScope.valueLimit, total <= VariableScope.totalLimit else { return .tooLarge }
        values[name] = VariableScope.writable(value)
        return undefined.first.map { .undefinedReference($0) }
    }

    static func hasReference(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Bool {
        var index = range.lowerBound
        while index &+ 1 < range.upperBound {
            if bytes[index] == .openBrace, bytes[index &+ 1] == .dollar { return true }
            index &+= 1
        }
        return false
    }

    /// The text of a range with `{$name}` replaced, once: a value isn't looked into again.
    ///
    /// An undefined reference stays as it is written, and its name is returned.
    func substituting(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> (text: String, undefined: [String]) {
        var output: [UInt8] = []
        var undefined: [String] = []
        var index = range.lowerBound
        while index < range.upperBound {
            if let close = VariableScope.referenceEnd(bytes, index..<range.upperBound) {
                let name = String(playlistBytes: bytes.part(index + 2, close))
                if let value = values[name], output.count + value.utf8.count <= VariableScope.totalLimit {
                    output.append(contentsOf: value.utf8)
                    index = close + 1
                    continue
                }
                undefined.append(name)
            }
            output.append(bytes[index])
            index += 1
        }
        return (output.withUnsafeBytes { String(playlistBytes: $0) }, undefined)
    }

    /// The closing brace of the reference that begins a range; nil where none begins. Only the characters of names
    /// (section 4.4.2.3) are passed over, so that a line of opening braces isn't searched again from each.
    private static func referenceEnd(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Int? {
        guard range.count > 2, bytes[range.lowerBound] == .openBrace, bytes[range.lowerBound + 1] == .dollar else {
            return nil
        }
        var index = range.lowerBound + 2
        while index < range.upperBound,
            bytes[index].isLetter || bytes[index].isDigit || bytes[index] == .minus
                || bytes[index] == UInt8(ascii: "_")
        {
            index += 1
        }
        return index < range.upperBound && bytes[index] == .closeBrace ? index : nil
    }

    /// A value from outside less what would end a line or a quoted string.
    private static func writable(_ value: String) -> String {
        guard value.utf8.contains(where: { $0 == .quote || $0 == .lineFeed || $0 == .carriageReturn }) else {
            return value
        }
        var bytes: [UInt8] = []
        bytes.appendURI(value)
        return String(decoding: bytes, as: UTF8.self)
    }
}
