extension AttributeList {
    /// What is wrong with a list's text.
    enum Problem: Equatable {
        case malformed(String)
        case duplicate(String)
        case undefinedVariable(String)
    }

    /// Reads a list, substituting variables where a scope is given.
    init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, substituting variables: VariableScope?) {
        var problems: [Problem] = []
        self.init(bytes, range, substituting: variables, problems: &problems)
    }

    init(
        _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, substituting variables: VariableScope?,
        problems: inout [Problem]
    ) {
        self.init()
        var items = AttributeListScanner(bytes, range)
        var names: Set<AttributeName> = []
        while let item = items.next() {
            let name = String(playlistBytes: bytes.part(item.name.lowerBound, item.name.upperBound))
            let isName = bytes[item.name].allSatisfy { $0.isAttributeNameCharacter }
            if item.isMalformed || !isName { problems.append(.malformed(name)) }
            guard !item.name.isEmpty else { continue }
            let attribute = AttributeName(rawValue: name)
            if !names.insert(attribute).inserted { problems.append(.duplicate(name)) }
            append(Attribute(name: attribute, value: AttributeList.value(bytes, item, variables, &problems)))
        }
    }

    private static func value(
        _ bytes: UnsafeRawBufferPointer, _ item: AttributeListScanner.Item, _ variables: VariableScope?,
        _ problems: inout [Problem]
    ) -> AttributeValue {
        let written = String(playlistBytes: bytes.part(item.value.lowerBound, item.value.upperBound))
        guard let variables, VariableScope.hasReference(bytes, item.value) else {
            return AttributeValue(text: written, isQuoted: item.isQuoted)
        }
        let (text, undefined) = variables.substituting(bytes, item.value)
        problems.append(contentsOf: undefined.map { .undefinedVariable($0) })
        if text == written || item.isQuoted { return AttributeValue(text: text, isQuoted: item.isQuoted) }
        // A value with a comma or a blank can only be written in quotes.
        return text.utf8.contains { $0 == .comma || $0.isBlank } ? .quoted(text) : .unquoted(text)
    }
}
