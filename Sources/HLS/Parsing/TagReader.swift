/// Walks a playlist's lines and reads tags' values, with findings about them.
struct TagReader {
    /// What a line holds.
    enum Content {
        case tag(PlaylistTag, value: Range<Int>)
        case unknown(name: Range<Int>, value: Range<Int>?)
        case uri(Range<Int>)
    }

    let bytes: UnsafeRawBufferPointer
    var log: DiagnosticLog
    var variables: VariableScope
    /// Whether it's noted which tags come.
    var notesOrder = true
    private(set) var order = TagOrder()
    private(set) var line = Line(start: 0, end: 0, next: 0, number: 0)
    private var lines: LineScanner
    private let limits: PlaylistParser.Limits
    private var entries = 0
    private var hasContent = false
    private var hasHeader = false
    private var isASCII: Bool
    private let hasVariables: Bool
    private let hasControls: Bool
    /// Whether a carriage return may end a line alone, as far as isn't reported.
    private var mayEndInReturns: Bool
    /// The last line of which it was said that it has blanks.
    private var blanksLine = 0
    private var expanded = 0

    init(
        _ bytes: UnsafeRawBufferPointer, context: PlaylistContext, limits: PlaylistParser.Limits, log: DiagnosticLog
    ) {
        self.bytes = bytes
        self.limits = limits
        self.log = log
        lines = LineScanner(bytes)
        variables = VariableScope(context: context)
        isASCII = bytes.isASCII
        hasVariables = bytes.contains(.openBrace)
        hasControls = bytes.hasForbiddenControl
        mayEndInReturns = bytes.contains(.carriageReturn)
    }

    /// The next line that isn't blank, a comment or the header.
    @inline(__always)
    mutating func next() throws(PlaylistError) -> Content? {
        while let line = lines.next() {
            self.line = line
            guard line.end &- line.start <= limits.lineLength else {
                throw .lineTooLong(line: line.number, limit: limits.lineLength)
            }
            if mayEndInReturns { try checkLineEnd() }
            if hasControls { try checkControls() }
            let range = bytes.trimmed(line.start, line.end)
            if range.isEmpty {
                // None before the header: there no line may stand.
                if notesOrder, hasHeader { order.note("") }
                continue
            }
            if !isASCII || !hasContent { try checkLine(range) }
            if range.count != line.end &- line.start { try checkBlanks(around: range) }
            guard bytes[range.lowerBound] == .numberSign else {
                try countEntry()
                return .uri(range)
            }
            if bytes.has("#EXTINF:", at: range.lowerBound) {
                let value = bytes.trimmed(range.lowerBound &+ 8, range.upperBound)
                if value.lowerBound != range.lowerBound &+ 8 { try reportBlanks() }
                if notesOrder { order.note(PlaylistTag.segment.rawValue) }
                return .tag(.segment, value: value)
            }
            if let content = try tag(range) { return content }
        }
        return nil
    }

    private mutating func tag(_ range: Range<Int>) throws(PlaylistError) -> Content? {
        guard let tagLine = TagLine(bytes, range) else { return nil }
        if tagLine.hasBlanks { try reportBlanks() }
        if notesOrder { order.note(text(tagLine.name)) }
        guard let tag = PlaylistTag(bytes, tagLine.name) else {
            try countEntry()
            return .unknown(name: tagLine.name, value: tagLine.value)
        }
        if tag == .header {
            hasHeader = true
            return nil
        }
        try countEntry()
        return .tag(tag, value: tagLine.value ?? range.upperBound..<range.upperBound)
    }

    private mutating func countEntry() throws(PlaylistError) {
        entries &+= 1
        if entries > limits.entries { throw .tooManyTags(line: line.number, limit: limits.entries) }
    }

    /// What is worth looking at on few lines: the first, and those beyond ASCII.
    private mutating func checkLine(_ range: Range<Int>) throws(PlaylistError) {
        if !hasContent {
            hasContent = true
            if LineScanner.hasByteOrderMark(bytes) {
                try report(.error, "4.1", "byte-order-mark", "The playlist begins with a byte order mark.")
            }
            // Some IPTV lists have attributes after `#EXTM3U`.
            if !bytes.has("#EXTM3U", at: range.lowerBound) {
                try report(.error, "4.4.1.1", "first-line", "The first line isn't #EXTM3U.")
            } else if line.number > 1 {
                try report(.error, "4.4.1.1", "first-line", "Blank lines stand before #EXTM3U.")
            }
        }
        if !isASCII, let control = bytes.part(range.lowerBound, range.upperBound).encodedControl {
            try reportControl(control)
        }
        if !isASCII, String(validating: bytes.part(range.lowerBound, range.upperBound), as: UTF8.self) == nil {
            isASCII = true
            try report(.error, "4.1", "encoding", "The text isn't UTF-8; its other bytes are read percent-encoded.")
        }
    }

    private mutating func checkLineEnd() throws(PlaylistError) {
        guard line.next == line.end + 1, bytes[line.end] == .carriageReturn else { return }
        mayEndInReturns = false
        try report(.error, "4.1", "line-end", "A carriage return without a line feed ends the line.")
    }

    private mutating func checkControls() throws(PlaylistError) {
        guard let control = bytes[line.start..<line.end].first(where: \.isForbiddenControl) else { return }
        try reportControl(control)
    }

    private mutating func reportControl(_ code: UInt8) throws(PlaylistError) {
        let digits = String(code, radix: 16, uppercase: true)
        try report(.error, "4.1", "control", "The control character U+00\(code < 16 ? "0" : "")\(digits) stands here.")
    }

    /// A comment and a title may end in blanks; nothing else may.
    private mutating func checkBlanks(around range: Range<Int>) throws(PlaylistError) {
        let mayEndInBlanks =
            bytes.has("#EXTINF:", at: range.lowerBound)
            || bytes[range.lowerBound] == .numberSign && !bytes.has("#EXT", at: range.lowerBound)
        if range.lowerBound != line.start || !mayEndInBlanks { try reportBlanks() }
    }

    /// Says once of a line that blanks stand where none may.
    mutating func reportBlanks() throws(PlaylistError) {
        guard blanksLine != line.number else { return }
        blanksLine = line.number
        try report(.error, "4.1", "whitespace", "Blanks stand where the RFC allows none.")
    }

    // MARK: - Values

    @inline(__always)
    func text(_ range: Range<Int>) -> String {
        String(playlistBytes: bytes.part(range.lowerBound, range.upperBound))
    }

    /// The URI of a line, variables substituted.
    @inline(__always)
    mutating func uri(_ range: Range<Int>) throws(PlaylistError) -> String {
        hasVariables && VariableScope.hasReference(bytes, range) ? try substitutedURI(range) : text(range)
    }

    private mutating func substitutedURI(_ range: Range<Int>) throws(PlaylistError) -> String {
        let (text, undefined) = variables.substituting(bytes, range)
        try countExpansion(text)
        try reportUndefined(undefined)
        let uri = text.trimmedBlanks
        // Neither an empty line nor a comment is a URI.
        if uri.isEmpty { return self.text(range) }
        return uri.utf8.first == .numberSign ? "%23" + uri.dropFirst() : uri
    }

    private mutating func countExpansion(_ text: String) throws(PlaylistError) {
        expanded += text.utf8.count
        let limit = min(limits.playlistLength, VariableScope.expansionLimit)
        if expanded > limit { throw .playlistTooLong(limit: limit) }
    }

    /// A tag's attributes, checked against what the RFC says of them.
    mutating func attributes(
        _ tag: PlaylistTag, _ value: Range<Int>, _ rules: [AttributeRule]
    ) throws(PlaylistError) -> AttributeList {
        var problems: [AttributeList.Problem] = []
        let list = AttributeList(bytes, value, substituting: variables, problems: &problems)
        if hasVariables, VariableScope.hasReference(bytes, value) {
            for attribute in list.attributes { try countExpansion(attribute.value.text) }
        }
        for problem in problems {
            switch problem {
            case .malformed(let name):
                try report(.error, "4.2", "syntax", "\(tag.rawValue): the attribute \(name) is malformed.")
            case .duplicate(let name):
                try report(.error, "4.2", "duplicate", "\(tag.rawValue): the attribute \(name) stands more than once.")
            case .undefinedVariable(let name):
                try reportUndefined([name])
            }
        }
        try check(list, of: tag, rules)
        return list
    }

    /// Reports required attributes that are absent, and values of other types.
    mutating func check(
        _ list: AttributeList, of tag: PlaylistTag, _ rules: [AttributeRule]
    ) throws(PlaylistError) {
        for rule in rules {
            guard let value = list[rule.name] else {
                if rule.isRequired { try report(.error, tag, "attribute", "\(tag.rawValue) has no \(rule.name).") }
                continue
            }
            if !rule.type.accepts(value) {
                try report(.error, tag, "attribute", "\(tag.rawValue): \(rule.name) isn't \(rule.type.name).")
            }
        }
    }

    /// A tag's value as a whole number.
    mutating func integer(_ tag: PlaylistTag, _ value: Range<Int>) throws(PlaylistError) -> Int? {
        guard let read = DecimalValue.read(bytes, value) else {
            try report(.error, tag, "value", "\(tag.rawValue) isn't a number.")
            return nil
        }
        if read.end != value.upperBound || read.value.fractionDigits > 0 || read.value.significand < 0 {
            try report(.error, tag, "value", "\(tag.rawValue) isn't a decimal integer.")
        }
        return read.value.roundedUp
    }

    func unknownTag(_ name: Range<Int>, _ value: Range<Int>?) -> UnknownTag {
        UnknownTag(name: text(name), value: value.map { text($0) }, line: line.number)
    }

    /// A tag of the other kind of playlist, kept like one that nobody knows.
    func misplacedTag(_ tag: PlaylistTag, _ value: Range<Int>) -> UnknownTag {
        UnknownTag(name: tag.rawValue, value: value.isEmpty ? nil : text(value), line: line.number)
    }

    // MARK: - Findings

    mutating func report(
        _ severity: Diagnostic.Severity, _ tag: PlaylistTag, _ name: String, _ message: @autoclosure () -> String
    ) throws(PlaylistError) {
        try log.add(severity, Diagnostic.Rule(tag, name), line: line.number, message())
    }

    mutating func report(
        _ severity: Diagnostic.Severity, _ section: String, _ name: String, _ message: @autoclosure () -> String
    ) throws(PlaylistError) {
        try log.add(severity, Diagnostic.Rule(section: section, name: name), line: line.number, message())
    }

    private mutating func reportUndefined(_ names: [String]) throws(PlaylistError) {
        for name in names {
            try report(.error, "4.3", "undefined", "The variable \(name) isn't defined.")
        }
    }

    /// What can be said only after the last line.
    mutating func finish() throws(PlaylistError) {
        if !hasHeader { try report(.error, .header, "missing", "The playlist has no #EXTM3U.") }
    }
}
