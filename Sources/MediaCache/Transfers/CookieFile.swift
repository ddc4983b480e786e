public import Foundation

/// Cookies from a file in the Netscape format used by browser extensions, curl and yt-dlp. Each cookie is sent to the
/// host and path that it specifies (RFC 6265 §5). Responses don't change the cookies.
public struct CookieFile: Sendable, Hashable {
    private struct Cookie: Sendable, Hashable {
        var domain: String
        var includesSubdomains: Bool
        var path: String
        var isSecure: Bool
        /// The expiry in seconds since 1970; 0 for a session cookie.
        var expires: Double
        var name: String
        var value: String
    }

    private var cookies: [Cookie] = []

    /// Parses the text of a cookie file.
    ///
    /// - Throws: ``CacheError`` with ``CacheError/Code/invalidSetting`` for the first line that isn't a cookie.
    public init(_ text: String) throws {
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            var line = line
            // The prefix marks a cookie that scripts can't read. Requests send it like any other.
            if line.hasPrefix("#HttpOnly_") { line = line.dropFirst("#HttpOnly_".count) }
            guard !line.hasPrefix("#"), !line.allSatisfy(\.isWhitespace) else { continue }
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard fields.count == 7, let expires = Double(fields[4]) else {
                throw CacheError(
                    .invalidSetting,
                    "line \(index + 1) of the cookie file is invalid: a cookie has 7 fields separated by tabs, "
                        + "and the fifth one is a number")
            }
            cookies.append(
                Cookie(
                    domain: fields[0].drop { $0 == "." }.lowercased(),
                    includesSubdomains: fields[1].uppercased() == "TRUE" || fields[0].hasPrefix("."),
                    path: fields[2], isSecure: fields[3].uppercased() == "TRUE", expires: expires, name: fields[5],
                    value: fields[6]))
        }
    }

    /// Returns the `Cookie` field's value for a request to `url`; nil if no cookie applies (RFC 6265 §5.4).
    public func fieldValue(for url: ResourceURL, now: Date) -> String? {
        let fitting = cookies.filter { cookie in
            let isHost =
                url.host == cookie.domain
                || (cookie.includesSubdomains && url.host.hasSuffix(".\(cookie.domain)"))
            let parent = cookie.path.hasSuffix("/") ? cookie.path : cookie.path + "/"
            return isHost && (url.path == cookie.path || url.path.hasPrefix(parent))
                && (!cookie.isSecure || url.scheme == "https")
                && (cookie.expires == 0 || cookie.expires > now.timeIntervalSince1970)
        }
        // Longer paths first (RFC 6265 §5.4).
        let pairs = fitting.sorted { $0.path.count > $1.path.count }.map { "\($0.name)=\($0.value)" }
        return pairs.isEmpty ? nil : pairs.joined(separator: "; ")
    }
}
