/// A reader of a playlist's lines and tag values that collects diagnostics.
struct LineReader {
    /// A known tag and the position of its value.
    struct Item {
        let tag: PlaylistTag
        let value: Range<Int>
    }

    enum Content {
        /// EXTINF. It has its own case for speed, since it's on about every second line.
        case segmentDuration(value: Range<Int>)
        case tag(Item)
        case unknown(name: Range<Int>, value: Range<Int>?)
        case uri(Range<Int>)
    }

    let bytes: UnsafeRawBufferPointer
    var log: DiagnosticLog
    var variables: VariableScope
    private(set) var line = Line(start: 0, end: 0, next: 0, number: 0)
    private var lines: LineScanner
    private let limits: PlaylistParser.Limits
    private var entries = 0
    private var hasContent = false
    private var hasHeader = false
    private var uniqueTags: Set<PlaylistTag> = []
    private var isASCII: Bool
    private let hasVariables: Bool
    private let hasControls: Bool
    /// Whether to report the next line that ends in CR alone. Only the first such line is reported.
    private var mayHaveBareReturns: Bool
    /// The last line for which blanks were reported.
    private var blanksLine = 0
    /// The total length of text with substituted variables, in bytes.
    private var expandedLength = 0

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
        mayHaveBareReturns = bytes.contains(.carriageReturn)
    }

    /// Returns the content of the next line that isn't blank, a comment or the header; nil at the end.
    @inline(__always)
    mutating func next() throws(PlaylistError) -> Content? {
        while let line = lines.next() {
            self.line = line
            guard line.end &- line.start <= limits.lineLength else {
                throw .lineTooLong(line: line.number, limit: limits.lineLength)
            }
            if mayHaveBareReturns { try checkLineEnd() }
            if hasControls { try checkControls() }
            let range = bytes.trimmed(line.start, line.end)
            if range.isEmpty { continue }
            if !isASCII || !hasContent { try checkLine(range) }
            if range.count != line.end &- line.start { try checkBlanks(around: range) }
            guard bytes[range.lowerBound] == .numberSign else {
                try countEntry()
                return .uri(range)
            }
            if bytes.has("#EXTINF:", at: range.lowerBound) {
                let value = bytes.trimmed(range.lowerBound &+ 8, range.upperBound)
                if value.lowerBound != range.lowerBound &+ 8 { try reportBlanks() }
                return .segmentDuration(value: value)
            }
            if let content = try tag(range) { return content }
        }
        return nil
    }

    private mutating func tag(_ range: Range<Int>) throws(PlaylistError) -> Content? {
        guard let tagLine = TagLine(bytes, range) else { return nil }
        if tagLine.hasBlanks { try reportBlanks() }
        guard let tag = PlaylistTag(bytes, tagLine.name) else {
            try countEntry()
            return .unknown(name: tagLine.name, value: tagLine.value)
        }
        if tag == .header {
            hasHeader = true
            return nil
        }
        try countEntry()
        let value = tagLine.value ?? range.upperBound..<range.upperBound
        return tag == .segment ? .segmentDuration(value: value) : .tag(Item(tag: tag, value: value))
    }

    private mutating func countEntry() throws(PlaylistError) {
        entries &+= 1
        if entries > limits.entries { throw .tooManyTags(line: line.number, limit: limits.entries) }
    }

    /// Checks the first line and, in a playlist that isn't ASCII, each line up to the first that isn't UTF-8.
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
                try report(.error, "4.4.1.1", "first-line", "Blank lines precede #EXTM3U.")
            }
        }
        if !isASCII, let control = bytes.part(range).encodedControl {
            try reportControl(control)
        }
        if !isASCII, String(validating: bytes.part(range), as: UTF8.self) == nil {
            isASCII = true
            try report(.error, "4.1", "encoding", "The text isn't UTF-8; invalid bytes are percent-encoded.")
        }
    }

    private mutating func checkLineEnd() throws(PlaylistError) {
        guard line.next == line.end + 1, bytes[line.end] == .carriageReturn else { return }
        mayHaveBareReturns = false
        try report(.error, "4.1", "line-end", "The line ends in a carriage return without a line feed.")
    }

    private mutating func checkControls() throws(PlaylistError) {
        guard let control = bytes[line.start..<line.end].first(where: \.isForbiddenControl) else { return }
        try reportControl(control)
    }

    private mutating func reportControl(_ code: UInt8) throws(PlaylistError) {
        let digits = String(code, radix: 16, uppercase: true)
        try report(
            .error, "4.1", "control", "The line contains the control character U+00\(code < 16 ? "0" : "")\(digits).")
    }

    /// Reports blanks around a line, except at the end of a comment or a title.
    private mutating func checkBlanks(around range: Range<Int>) throws(PlaylistError) {
        let mayEndInBlanks =
            bytes.has("#EXTINF:", at: range.lowerBound)
            || bytes[range.lowerBound] == .numberSign && !bytes.has("#EXT", at: range.lowerBound)
        if range.lowerBound != line.start || !mayEndInBlanks { try reportBlanks() }
    }

    /// Reports blanks that the RFC doesn't allow, at most once per line.
    mutating func reportBlanks() throws(PlaylistError) {
        guard blanksLine != line.number else { return }
        blanksLine = line.number
        try report(.error, "4.1", "whitespace", "The line has spaces or tabs where the RFC allows none.")
    }

    // MARK: - Values

    @inline(__always)
    func text(_ range: Range<Int>) -> String { String(playlistBytes: bytes.part(range)) }

    @inline(__always)
    mutating func uri(_ range: Range<Int>) throws(PlaylistError) -> String {
        hasVariables && VariableScope.hasReference(bytes, range) ? try substitutedURI(range) : text(range)
    }

    private mutating func substitutedURI(_ range: Range<Int>) throws(PlaylistError) -> String {
        let (text, undefined) = variables.substituting(bytes, range)
        try countExpansion(text)
        try reportUndefined(undefined)
        let uri = text.trimmedBlanks
        // The substitution mustn't turn the URI into a blank line or a comment.
        if uri.isEmpty { return self.text(range) }
        return uri.utf8.first == .numberSign ? "%23" + uri.dropFirst() : uri
    }

    private mutating func countExpansion(_ text: String) throws(PlaylistError) {
        expandedLength += text.utf8.count
        let limit = min(limits.playlistLength, VariableScope.expansionLimit)
        if expandedLength > limit { throw .playlistTooLong(limit: limit) }
    }

    mutating func attributes(_ item: Item) throws(PlaylistError) -> AttributeList {
        let tag = item.tag
        var problems: [AttributeList.Problem] = []
        let list = AttributeList(bytes, item.value, substituting: variables, problems: &problems)
        if hasVariables, VariableScope.hasReference(bytes, item.value) {
            for attribute in list.attributes { try countExpansion(attribute.value.text) }
        }
        for problem in problems {
            switch problem {
            case .malformed(let name):
                try report(.error, "4.2", "syntax", "\(tag): the attribute \(name) is malformed.")
            case .duplicate(let name):
                try report(.error, "4.2", "duplicate", "\(tag) has more than one \(name) attribute.")
            case .undefinedVariable(let name):
                try reportUndefined([name])
            }
        }
        try check(list, of: tag, tag.definition.attributes)
        return list
    }

    /// Reports missing required attributes, and values of the wrong type.
    mutating func check(
        _ list: AttributeList, of tag: PlaylistTag, _ rules: [AttributeRule]
    ) throws(PlaylistError) {
        for rule in rules {
            guard let value = list[rule.name] else {
                if rule.isRequired { try report(.error, tag, "attribute", "\(tag) has no \(rule.name).") }
                continue
            }
            if !rule.type.accepts(value) {
                try report(.error, tag, "attribute", "\(tag): \(rule.name) isn't \(rule.type.name).")
            }
        }
    }

    /// Returns a value rounded up; nil if it isn't a number. Reports any value that isn't a decimal integer.
    mutating func integer(_ item: Item) throws(PlaylistError) -> Int? {
        guard let number = DecimalValue.read(bytes, item.value) else {
            try report(.error, item.tag, "value", "The value of \(item.tag) isn't a number.")
            return nil
        }
        if !bytes.part(item.value).allSatisfy(\.isDigit) {
            try report(.error, item.tag, "value", "The value of \(item.tag) isn't a decimal integer.")
        }
        return number.value.roundedUp
    }

    /// Reads a playlist-level tag into `target`. Reports a repeated tag that a playlist may have only once.
    mutating func read<Target>(
        _ item: Item, _ field: TagField<Target>, into target: inout Target
    ) throws(PlaylistError) {
        if field.isUnique, !uniqueTags.insert(item.tag).inserted {
            try report(.error, item.tag, "duplicate", "The playlist has more than one \(item.tag).")
        }
        try field.read(&target, item, &self)
    }

    func unknownTag(_ name: Range<Int>, _ value: Range<Int>?) -> UnknownTag {
        UnknownTag(name: text(name), value: value.map { text($0) }, line: line.number)
    }

    /// Returns a tag of the other kind of playlist as an unknown tag.
    func misplacedTag(_ item: Item) -> UnknownTag {
        UnknownTag(name: item.tag.rawValue, value: item.value.isEmpty ? nil : text(item.value), line: line.number)
    }

    // MARK: - Diagnostics

    /// Reports a diagnostic about a line, by default the current one.
    mutating func report(
        _ severity: Diagnostic.Severity, _ tag: PlaylistTag, _ name: String, line: Int? = nil,
        _ message: @autoclosure () -> String
    ) throws(PlaylistError) {
        try report(severity, tag.section, name, line: line, message())
    }

    mutating func report(
        _ severity: Diagnostic.Severity, _ section: String, _ name: String, line: Int? = nil,
        _ message: @autoclosure () -> String
    ) throws(PlaylistError) {
        let rule = Diagnostic.Rule(section: section, name: name)
        try log.add(severity, rule, line: line ?? self.line.number, message())
    }

    mutating func checkVersion(_ version: Int?, required: Int) throws(PlaylistError) {
        guard required > version ?? 1 else { return }
        try report(
            .error, "8", "version", line: 0,
            "The playlist's version is \(version ?? 1), but its content requires version \(required).")
    }

    private mutating func reportUndefined(_ names: [String]) throws(PlaylistError) {
        for name in names {
            try report(.error, "4.3", "undefined", "The variable \(name) isn't defined.")
        }
    }

    /// Reports a missing header.
    mutating func finish() throws(PlaylistError) {
        if !hasHeader { try report(.error, .header, "missing", "The playlist has no #EXTM3U.") }
    }
}
