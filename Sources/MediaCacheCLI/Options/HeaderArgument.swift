import Foundation
import HTTPTypes
import MediaCache

/// A header field for an origin, the value of `--header`.
struct HeaderArgument: Sendable, Hashable {
    /// The origin; nil for the origin of the command's URL.
    var origin: ResourceURL?
    var name: HTTPField.Name
    var value: String

    /// Parses `Name: value`, or `https://host[:port] Name: value` for a field of one origin.
    init(parsing text: String) throws {
        var rest = text[...]
        if text.lowercased().hasPrefix("http://") || text.lowercased().hasPrefix("https://") {
            let first = text.prefix { !$0.isWhitespace }
            rest = text[first.endIndex...]
            // In “https://host: Name: value”, the colon isn't part of the host.
            let url = first.hasSuffix(":") ? String(first.dropLast()) : String(first)
            do {
                origin = try ResourceURL(url)
            } catch let error as CacheError {
                throw ArgumentTextError(error.message)
            }
        }
        guard let colon = rest.firstIndex(of: ":") else {
            throw ArgumentTextError(
                "“\(text)” is not a header field; write it as 'Name: value' or 'https://host Name: value'")
        }
        let fieldName = rest[..<colon].trimmingCharacters(in: .whitespacesAndNewlines)
        guard let name = HTTPField.Name(fieldName) else {
            throw ArgumentTextError("“\(fieldName)” is not a valid header field name")
        }
        let value = rest[rest.index(after: colon)...].trimmingCharacters(in: .whitespacesAndNewlines)
        guard HTTPField.isValidValue(value) else {
            throw ArgumentTextError("the value of “\(fieldName)” contains invalid characters")
        }
        self.name = name
        self.value = value
    }

    /// The field in the syntax of ``init(parsing:)``.
    var text: String { (origin.map { "\($0.scheme)://\($0.authority) " } ?? "") + "\(name.rawName): \(value)" }
}

extension HeaderProfiles {
    /// Groups fields by origin. Fields without an origin belong to the origin of `url`; without a URL, they are an
    /// error.
    init(_ arguments: [HeaderArgument], for url: ResourceURL?, source place: String = "--header") throws {
        self.init()
        for argument in arguments {
            guard let origin = argument.origin ?? url else {
                throw CommandFailure(
                    .usage, "\(place) '\(argument.name): …' needs an origin: 'https://host \(argument.name): …'")
            }
            var profile = self[origin] ?? Profile()
            profile.fields.append(HTTPField(name: argument.name, value: argument.value))
            self[origin] = profile
        }
    }
}
