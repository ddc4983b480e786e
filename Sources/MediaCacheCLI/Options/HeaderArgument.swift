import HTTPTypes
import MediaCache

/// A header field for an origin, as `--header` takes it.
struct HeaderArgument: Sendable, Hashable {
    /// The origin it goes to; nil where the command's URL says it.
    var origin: ResourceURL?
    /// The field's name.
    var name: HTTPField.Name
    /// The field's value.
    var value: String

    /// Reads `Name: value`, or `https://host[:port] Name: value` where the field is for that origin alone.
    ///
    /// - Throws: ``ArgumentTextError``.
    init(parsing text: String) throws {
        var rest = text[...]
        if text.lowercased().hasPrefix("http://") || text.lowercased().hasPrefix("https://") {
            let first = text.prefix { !$0.isWhitespace }
            rest = text[first.endIndex...]
            // “https://host: Name: value” is how it's said; the colon isn't part of the host.
            let url = first.hasSuffix(":") ? String(first.dropLast()) : String(first)
            do {
                origin = try ResourceURL(url)
            } catch let error as CacheError {
                throw ArgumentTextError(error.message)
            }
        }
        guard let colon = rest.firstIndex(of: ":") else {
            throw ArgumentTextError(
                "“\(text)” is no header field; write it as 'Name: value' or 'https://host Name: value'")
        }
        let written = rest[..<colon].trimmed
        guard let name = HTTPField.Name(written) else {
            throw ArgumentTextError("“\(written)” is no name of a header field")
        }
        let value = rest[rest.index(after: colon)...].trimmed
        guard HTTPField.isValidValue(value) else {
            throw ArgumentTextError("the value of “\(written)” has characters that a header field can't have")
        }
        self.name = name
        self.value = value
    }

    /// The field as it's read.
    var text: String { (origin.map { "\($0.scheme)://\($0.authority) " } ?? "") + "\(name.rawName): \(value)" }
}

extension Substring {
    /// Without white space at either end.
    fileprivate var trimmed: String {
        var rest = self
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}

extension HeaderProfiles {
    /// The profiles that `arguments` make; those without an origin go to `url`'s.
    ///
    /// - Throws: ``CommandFailure`` if a field has no origin and there is no URL to take it from.
    init(_ arguments: [HeaderArgument], for url: ResourceURL?, place: String = "--header") throws {
        self.init()
        for argument in arguments {
            guard let origin = argument.origin ?? url else {
                throw CommandFailure(
                    .usage, "\(place) '\(argument.name): …' needs its origin: 'https://host \(argument.name): …'")
            }
            var profile = self[origin] ?? Profile()
            profile.fields.append(HTTPField(name: argument.name, value: argument.value))
            self[origin] = profile
        }
    }
}
