package import Foundation
package import HTTPTypes

/// How long a response may be used without asking (RFC 9111 §4.2), as far as its origin says so itself.
package struct Freshness: Sendable, Hashable {
    /// Until when; nil if the origin doesn't say.
    package var freshUntil: Date?
    /// Whether the origin must be asked before each use (`no-cache`).
    package var mustRevalidate: Bool
    /// Whether the origin must be asked before a use after ``freshUntil`` (`must-revalidate`). The directives of shared
    /// caches, `proxy-revalidate` and `s-maxage`, mean nothing to a private one.
    package var forbidsStale: Bool

    /// How long a failure to ask the origin is remembered: until then it isn't asked again.
    private static let failureLifetime: TimeInterval = 60

    package init(freshUntil: Date? = nil, mustRevalidate: Bool = false, forbidsStale: Bool = false) {
        self.freshUntil = freshUntil
        self.mustRevalidate = mustRevalidate
        self.forbidsStale = forbidsStale
    }

    /// Reads `Cache-Control`, `Expires`, `Date` and `Age` of a response that came at `now`.
    package init(_ fields: HTTPFields, now: Date) {
        let control = CacheControl(fields)
        mustRevalidate = control.noCache
        forbidsStale = control.mustRevalidate
        if let maxAge = control.maxAge {
            let age = fields[.age].flatMap(Double.init) ?? 0
            freshUntil = now.addingTimeInterval(Double(maxAge) - max(0, age))
        } else if let expires = fields[.expires] {
            // An invalid date, “0” above all, means “already expired” (RFC 9111 §5.3).
            let date = fields[.date].flatMap(HTTPDate.parse) ?? now
            freshUntil = HTTPDate.parse(expires).map { now.addingTimeInterval($0.timeIntervalSince(date)) } ?? now
        }
    }

    /// Reads a 304 that came at `now`: the fields that it has replace those of the response that it confirms, and the
    /// others stay (RFC 9111 §4.3.4). A lifetime that stays begins again.
    package init(_ fields: HTTPFields, confirming known: Freshness, from validatedAt: Date, now: Date) {
        self.init(fields, now: now)
        guard fields[.cacheControl] == nil else { return }
        mustRevalidate = mustRevalidate || known.mustRevalidate
        forbidsStale = forbidsStale || known.forbidsStale
        if freshUntil == nil, let until = known.freshUntil {
            freshUntil = now.addingTimeInterval(max(0, until.timeIntervalSince(validatedAt)))
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

    /// Decides whether the origin is asked, and when. An expired version is used and asked about beside its use, unless
    /// the origin forbids stale use. Without a lifetime from the origin, it's asked at the first use after opening, then
    /// each time that `lifetime` seconds have passed: daily.
    ///
    /// - Parameters:
    ///   - validatedAt: when the origin was last asked, or last confirmed the version.
    ///   - isStale: whether the origin couldn't be asked then.
    package func use(
        validatedAt: Date, checkedThisOpening: Bool, now: Date, isStale: Bool = false, lifetime: TimeInterval = 86_400
    ) -> Use {
        let age = now.timeIntervalSince(validatedAt)
        if isStale, checkedThisOpening, (0..<Self.failureLifetime).contains(age) { return .asItIs }
        if mustRevalidate { return .askFirst }
        if let freshUntil {
            return now < freshUntil ? .asItIs : forbidsStale ? .askFirst : .askBeside
        }
        return !isStale && checkedThisOpening && age >= 0 && age < lifetime ? .asItIs : .askBeside
    }
}

/// The directives of `Cache-Control` that matter to a private cache (RFC 9111 §5.2.2).
package struct CacheControl: Sendable, Hashable {
    package var noStore = false
    package var noCache = false
    package var mustRevalidate = false
    package var maxAge: Int64?

    package init(_ fields: HTTPFields) {
        for directive in (fields[.cacheControl] ?? "").split(separator: ",") {
            let parts = directive.split(separator: "=", maxSplits: 1)
            guard let name = parts.first?.trimmingCharacters(in: .whitespaces).lowercased() else { continue }
            let value = parts.count > 1 ? parts[1].trimmingCharacters(in: CharacterSet(charactersIn: " \t\"")) : nil
            switch name {
            case "no-store": noStore = true
            case "no-cache": noCache = true
            case "must-revalidate": mustRevalidate = true
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
