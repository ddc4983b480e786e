/// The external sources of a playlist's variables (RFC 8216bis §4.4.2.3).
public struct PlaylistContext: Sendable, Hashable {
    /// The URL of the playlist after redirects. Its query contains the values for QUERYPARAM of EXT-X-DEFINE.
    public var playlistURL: String?
    /// The values of the multivariant playlist's variables by name, for IMPORT of EXT-X-DEFINE.
    public var importableVariables: [String: String]

    /// Creates a context. The default arguments provide no variables.
    public init(playlistURL: String? = nil, importableVariables: [String: String] = [:]) {
        self.playlistURL = playlistURL
        self.importableVariables = importableVariables
    }

    /// Returns the percent-decoded value of a query item of ``playlistURL``; nil if the item is absent or has no value.
    func queryValue(_ name: String) -> String? {
        guard let playlistURL, let query = URLReference(playlistURL).query else { return nil }
        for item in query.utf8.split(separator: .ampersand) {
            guard let equals = item.firstIndex(of: .equals) else { continue }
            if PlaylistContext.percentDecoded(item[..<equals]) == name {
                return PlaylistContext.percentDecoded(item[item.index(after: equals)...])
            }
        }
        return nil
    }

    private static func percentDecoded(_ text: Substring.UTF8View) -> String {
        var bytes: [UInt8] = []
        let input = Array(text)
        var index = 0
        while index < input.count {
            if input[index] == .percent, index + 2 < input.count, let high = input[index + 1].hexValue,
                let low = input[index + 2].hexValue
            {
                bytes.append(high << 4 | low)
                index += 3
            } else {
                bytes.append(input[index])
                index += 1
            }
        }
        return bytes.withUnsafeBytes { String(playlistBytes: $0) }
    }
}

/// The variables that are defined at a position in a playlist (RFC 8216bis §4.3).
struct VariableScope {
    enum Failure: Equatable {
        case noName
        case alreadyDefined(String)
        case notImportable(String)
        case noQueryItem(String)
        /// The value refers to an undefined variable. The definition takes effect, but the reference isn't substituted.
        case undefinedReference(String)
        case tooLarge
    }

    /// The maximum length of a value in bytes. Values may refer to other values: without a limit, thirty lines could
    /// define a gigabyte.
    static let valueLimit = 64 * 1024
    /// The maximum total length of all values in bytes. Values that would extend a text beyond it aren't substituted.
    static let totalLimit = 1024 * 1024
    /// The maximum total length of text with substituted variables in bytes. Many lines may refer to a long value.
    static let expansionLimit = 64 * 1024 * 1024

    private(set) var values: [String: String] = [:]
    private let context: PlaylistContext
    private var total = 0

    init(context: PlaylistContext) { self.context = context }

    /// Defines the variable of an EXT-X-DEFINE tag (RFC 8216bis §4.4.2.3).
    mutating func define(_ definition: VariableDefinition) -> Failure? {
        guard let source = definition.source else { return .noName }
        let name: String
        var value: String
        var undefined: [String] = []
        switch source {
        case .value(let newName, let text):
            name = newName
            (value, undefined) = text.withBytes { substituting($0, 0..<$0.count) }
        case .imported(let newName):
            guard let text = context.importableVariables[newName] else { return .notImportable(newName) }
            (name, value) = (newName, text)
        case .queryItem(let newName):
            guard let text = context.queryValue(newName) else { return .noQueryItem(newName) }
            (name, value) = (newName, text)
        }
        guard values[name] == nil else { return .alreadyDefined(name) }
        let length = value.utf8.count
        guard length <= VariableScope.valueLimit, total + length <= VariableScope.totalLimit else { return .tooLarge }
        total += length
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

    /// Returns the text of a range with each `{$name}` replaced by its value, and the names of the variables that
    /// aren't replaced because they are undefined or the text would be too long.
    func substituting(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> (text: String, undefined: [String]) {
        var output: [UInt8] = []
        var undefined: [String] = []
        var index = range.lowerBound
        while index < range.upperBound {
            if let close = VariableScope.referenceEnd(bytes, index..<range.upperBound) {
                let name = String(playlistBytes: bytes.part(index + 2..<close))
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

    /// Returns the position of the closing brace of a reference at the beginning of a range; nil if there is none. Only
    /// characters allowed in names are scanned, so that a line of opening braces takes linear time.
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

    /// Returns a value with the characters that would end a line or a quoted string percent-encoded.
    private static func writable(_ value: String) -> String {
        guard value.utf8.contains(where: { $0 == .quote || $0 == .lineFeed || $0 == .carriageReturn }) else {
            return value
        }
        var bytes: [UInt8] = []
        bytes.appendURI(value)
        return String(decoding: bytes, as: UTF8.self)
    }
}
