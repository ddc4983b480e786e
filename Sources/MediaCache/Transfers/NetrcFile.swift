/// User names and passwords from a netrc file, the format of ftp, curl and wget. They are sent to the host of their
/// `machine` entry, with any scheme and port, as `Authorization: Basic` (RFC 7617), unless a URL or a header profile
/// contains others.
public struct NetrcFile: Sendable, Hashable {
    private struct Entry: Sendable, Hashable {
        /// The host in lower case, without brackets.
        var machine: String
        var login: String?
        var password: String?
    }

    private var entries: [Entry] = []

    /// Parses the text of a netrc file. Macros (`macdef`) and accounts are ignored.
    ///
    /// - Throws: ``CacheError`` with ``CacheError/Code/invalidSetting`` for the first unsupported or incomplete entry.
    public init(_ text: String) throws {
        var scanner = Scanner(text: text[...])
        while let word = try scanner.word() {
            switch word {
            case "machine": entries.append(Entry(machine: try scanner.value(of: word).lowercased()))
            case "default":
                // A document can name any host, so these credentials would be sent to all.
                throw scanner.failure("`default` isn't supported; write an entry with `machine` for each host")
            case "login", "user": try change(scanner) { $0.login = try scanner.value(of: word) }
            case "password": try change(scanner) { $0.password = try scanner.value(of: word) }
            case "account": _ = try scanner.value(of: word)
            case "macdef": scanner.skipMacro()
            // The message doesn't contain the word, which may be part of a password.
            default: throw scanner.failure("a keyword such as `machine`, `login` or `password` is expected")
            }
        }
    }

    private mutating func change(_ scanner: Scanner, _ body: (inout Entry) throws -> Void) throws {
        guard !entries.isEmpty else { throw scanner.failure("an entry must begin with `machine`") }
        try body(&entries[entries.count - 1])
    }

    /// Returns the value of the `Authorization` field for a request to `url`; nil without an entry for its host that
    /// has a `login`. The first such entry is used.
    public func authorization(for url: ResourceURL) -> String? {
        let host = url.host.lowercased().trimmingPrefix("[")
        let machine = host.hasSuffix("]") ? host.dropLast() : host[...]
        let entry = entries.first { $0.machine == machine && $0.login != nil }
        return entry.map { Credentials(user: $0.login ?? "", password: $0.password).authorization }
    }
}

extension NetrcFile: CustomStringConvertible, CustomReflectable {
    /// The number of entries, without their content.
    public var description: String { "\(entries.count) netrc entries" }

    /// A mirror without the entries.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<(label: String?, value: Any)>()) }
}

/// A scanner of words, which may be quoted, with `\"` and `\\` as escape sequences. `#` begins a comment.
private struct Scanner {
    var text: Substring
    var line = 1

    func failure(_ reason: String) -> CacheError {
        CacheError(.invalidSetting, "line \(line) of the netrc file is invalid: \(reason)")
    }

    /// Returns the next word; nil at the end. Without `skipsComments`, `#` can begin a password.
    mutating func word(skipsComments: Bool = true) throws -> String? {
        while let next = text.first {
            if next == "#", skipsComments {
                text = text.drop { !$0.isNewline }
            } else if next.isWhitespace {
                skip()
            } else {
                break
            }
        }
        guard let first = text.first else { return nil }
        guard first == "\"" else {
            let word = text.prefix { !$0.isWhitespace }
            text = text[word.endIndex...]
            return String(word)
        }
        text.removeFirst()
        var word = ""
        while let next = text.popFirst(), !next.isNewline {
            if next == "\"" { return word }
            word.append(next == "\\" ? text.popFirst() ?? next : next)
        }
        throw failure("a quotation mark is missing")
    }

    /// Returns the word after a keyword.
    mutating func value(of keyword: String) throws -> String {
        guard let value = try word(skipsComments: false) else { throw failure("the value of `\(keyword)` is missing") }
        return value
    }

    /// Skips a macro, which ends with an empty line.
    mutating func skipMacro() {
        while !text.isEmpty {
            text = text.drop { !$0.isNewline }
            skip()
            if text.first?.isNewline ?? true { return }
        }
    }

    private mutating func skip() {
        if text.popFirst()?.isNewline == true { line += 1 }
    }
}
