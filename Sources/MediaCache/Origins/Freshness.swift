package import Foundation
package import HTTPTypes

/// How long a response may be used without asking (RFC 9111 §4.2), as far as its origin says so itself.
package struct Freshness: Sendable, Hashable {
    /// Until when; nil if the origin doesn't say.
    package var freshUntil: Date?
    /// `no-cache` or a lifetime that is over must be asked before use.
    package var mustRevalidate: Bool

    package init(freshUntil: Date? = nil, mustRevalidate: Bool = false) {
        self.freshUntil = freshUntil
        self.mustRevalidate = mustRevalidate
    }

    /// Reads `Cache-Control`, `Expires`, `Date` and `Age` of a response that came at `now`.
    package init(_ fields: HTTPFields, now: Date) {
        let control = CacheControl(fields)
        mustRevalidate = control.noCache
        if let maxAge = control.maxAge {
            let age = fields[.age].flatMap(Double.init) ?? 0
            freshUntil = now.addingTimeInterval(Double(maxAge) - max(0, age))
        } else if let expires = fields[.expires] {
            // An invalid date, “0” above all, means “already expired” (RFC 9111 §5.3).
            let date = fields[.date].flatMap(HTTPDate.parse) ?? now
            freshUntil = HTTPDate.parse(expires).map { now.addingTimeInterval($0.timeIntervalSince(date)) } ?? now
        }
    }

    /// What is to be done before what is kept is used.
    package enum Use: Sendable, Hashable {
        /// Use it.
        case asItIs
        /// Use it, and ask the origin beside it.
        case askBeside
        /// Ask the origin first.
        case askFirst
    }

    /// Without a word of the origin's, what is kept is asked for at first use after opening, then each time that
    /// `lifetime` seconds have gone by: daily.
    package func use(
        validatedAt: Date, checkedThisOpening: Bool, now: Date, lifetime: TimeInterval = 86_400
    ) -> Use {
        if let freshUntil { return now < freshUntil && !mustRevalidate ? .asItIs : .askFirst }
        if mustRevalidate { return .askFirst }
        let age = now.timeIntervalSince(validatedAt)
        return checkedThisOpening && age >= 0 && age < lifetime ? .asItIs : .askBeside
    }
}

/// The directives of `Cache-Control` that matter to a private cache (RFC 9111 §5.2.2).
package struct CacheControl: Sendable, Hashable {
    package var noStore = false
    package var noCache = false
    package var maxAge: Int64?

    package init(_ fields: HTTPFields) {
        for directive in (fields[.cacheControl] ?? "").split(separator: ",") {
            let parts = directive.split(separator: "=", maxSplits: 1)
            guard let name = parts.first?.trimmingCharacters(in: .whitespaces).lowercased() else { continue }
            let value = parts.count > 1 ? parts[1].trimmingCharacters(in: CharacterSet(charactersIn: " \t\"")) : nil
            switch name {
            case "no-store": noStore = true
            case "no-cache": noCache = true
            case "max-age": maxAge = value.map { Int64($0) ?? 0 }
            default: break
            }
        }
        if fields[.cacheControl] == nil, fields[.pragma]?.lowercased().contains("no-cache") == true { noCache = true }
    }
}

extension HTTPField.Name {
    package static let pragma = HTTPField.Name("Pragma")!
}
