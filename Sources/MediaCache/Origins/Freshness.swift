package import Foundation
package import HTTPTypes

/// The period in which a response may be used without revalidation (RFC 9111 §4.2), according to its origin.
package struct Freshness: Sendable, Hashable {
    /// The end of the freshness lifetime; nil if the response has none.
    package var freshUntil: Date?
    /// Whether each use requires revalidation (`no-cache`).
    package var mustRevalidate = false
    /// Whether uses after ``freshUntil`` require revalidation (`must-revalidate`). The directives for shared caches,
    /// `proxy-revalidate` and `s-maxage`, don't apply to a private one.
    package var forbidsStale = false

    /// The time in seconds after a failed revalidation until the next one.
    private static let failureLifetime: TimeInterval = 60
}

extension Freshness {
    /// Reads `Cache-Control`, `Pragma`, `Expires`, `Date` and `Age` of a response received at `now`.
    package init(_ fields: HTTPFields, now: Date) {
        let control = CacheControl(fields)
        mustRevalidate = control.noCache
        forbidsStale = control.mustRevalidate
        if let maxAge = control.maxAge {
            // Double also parses “nan” and “inf”, which aren't ages.
            let age = fields[.age].flatMap(Double.init) ?? 0
            freshUntil = now.addingTimeInterval(Double(maxAge) - (age.isFinite ? max(0, age) : 0))
        } else if let expires = fields[.expires] {
            let date = fields[.date].flatMap(HTTPDate.parse) ?? now
            // An invalid Expires value, especially “0”, means “already expired” (RFC 9111 §5.3).
            freshUntil = HTTPDate.parse(expires).map { now.addingTimeInterval($0.timeIntervalSince(date)) } ?? now
        }
    }

    /// Reads a 304 response received at `now`. Its fields replace those of the confirmed response; fields that it lacks
    /// are preserved (RFC 9111 §4.3.4). A preserved lifetime starts again.
    package init(_ fields: HTTPFields, confirming known: Freshness, from validatedAt: Date, now: Date) {
        self.init(fields, now: now)
        guard fields[.cacheControl] == nil else { return }
        mustRevalidate = mustRevalidate || known.mustRevalidate
        forbidsStale = forbidsStale || known.forbidsStale
        if freshUntil == nil, let until = known.freshUntil {
            freshUntil = now.addingTimeInterval(max(0, until.timeIntervalSince(validatedAt)))
        }
    }

    /// The revalidation that a use of a cached version requires.
    package enum Use: Sendable, Hashable {
        /// Use it without revalidation.
        case fresh
        /// Use it, and revalidate it in the background.
        case revalidateInBackground
        /// Revalidate it before the use.
        case revalidateFirst
    }

    /// Returns the revalidation that a use requires. An expired version is used and revalidated in the background,
    /// unless the origin forbids stale use. A version without a lifetime is revalidated at the first use after opening
    /// and then every `lifetime` seconds, also in the background.
    ///
    /// - Parameters:
    ///   - validatedAt: The time of the last revalidation.
    ///   - isStale: Whether that revalidation failed.
    package func use(
        validatedAt: Date, checkedThisOpening: Bool, now: Date, isStale: Bool = false, lifetime: TimeInterval = 86_400
    ) -> Use {
        let age = now.timeIntervalSince(validatedAt)
        if isStale, checkedThisOpening, (0..<Self.failureLifetime).contains(age) { return .fresh }
        if mustRevalidate { return .revalidateFirst }
        if let freshUntil {
            return now < freshUntil ? .fresh : forbidsStale ? .revalidateFirst : .revalidateInBackground
        }
        return !isStale && checkedThisOpening && age >= 0 && age < lifetime ? .fresh : .revalidateInBackground
    }
}

/// The directives of `Cache-Control` that apply to a private cache (RFC 9111 §5.2.2).
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
        if fields[.cacheControl] == nil, let pragma = HTTPField.Name("Pragma") {
            noCache = fields[pragma]?.lowercased().contains("no-cache") == true
        }
    }
}
