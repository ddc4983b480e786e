import Foundation

/// The absolute http(s) URL of a resource, with its path and query preserved byte for byte (RFC 3986).
///
/// `Foundation.URL` re-encodes and normalizes URLs, which invalidates signatures. This type parses only the scheme,
/// authority, path and query. It percent-encodes only bytes that a request line can't contain: control characters,
/// spaces and non-ASCII characters. The fragment is dropped, because it's never sent to an origin.
public struct ResourceURL: Sendable, Hashable {
    /// `http` or `https`, in lower case.
    public let scheme: String
    /// The host in lower case; an IPv6 address is enclosed in brackets.
    public let host: String
    /// The port; nil for the scheme's default.
    public let port: Int?
    /// The path and the query as written, including `?`. Starts with `/`.
    public let target: String
    /// The user information, `user:password`; nil if there is none. It's never part of ``description``.
    public let userInfo: String?
}

extension ResourceURL {
    /// Parses a URL. Leading and trailing whitespace, control and format characters are ignored.
    ///
    /// - Throws: ``CacheError`` with ``CacheError/Code/invalidURL``, also for URLs longer than 16 KiB.
    public init(_ text: String) throws {
        let trimmed = Self.trim(text)
        guard let colon = BrowserReference.schemeEnd(trimmed.utf8) else {
            throw CacheError(
                .invalidURL, "“\(Self.shown(trimmed))” isn't an absolute URL; it must begin with http:// or https://")
        }
        let scheme = trimmed[..<colon].lowercased()
        guard scheme == "http" || scheme == "https" else {
            throw CacheError(.invalidURL, "the scheme “\(scheme)” isn't supported; only http and https are")
        }
        let rest = trimmed[trimmed.index(after: colon)...]
        guard rest.hasPrefix("//") else {
            throw CacheError(.invalidURL, "“\(Self.shown(trimmed))” has no host; expected \(scheme)://host/path")
        }
        let hierarchical = rest.dropFirst(2)
        let authorityEnd = hierarchical.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? hierarchical.endIndex
        try self.init(
            scheme: scheme, authority: String(hierarchical[..<authorityEnd]),
            target: String(hierarchical[authorityEnd...]))
    }

    /// Creates a URL from its parts.
    ///
    /// - Parameters:
    ///   - scheme: `http` or `https`.
    ///   - authority: `[userinfo@]host[:port]`.
    ///   - target: The path and query as sent to the origin. A fragment is dropped.
    /// - Throws: ``CacheError`` with ``CacheError/Code/invalidURL``, also for URLs longer than 16 KiB.
    public init(scheme: String, authority: String, target: String) throws {
        guard scheme == "http" || scheme == "https" else {
            throw CacheError(.invalidURL, "the scheme “\(scheme)” isn't supported; only http and https are")
        }
        let at = authority.lastIndex(of: "@")
        let hostAndPort = at.map { authority[authority.index(after: $0)...] } ?? authority[...]
        let (host, port) = try Self.splitHostAndPort(hostAndPort)
        self.scheme = scheme
        self.host = host.lowercased()
        self.port = port == (scheme == "http" ? 80 : 443) ? nil : port
        self.userInfo = at.map { String(authority[..<$0]) }
        let withoutFragment = target.prefix { $0 != "#" }
        self.target = Self.escape(withoutFragment.hasPrefix("/") ? String(withoutFragment) : "/" + withoutFragment)
        try checkLength()
    }

    /// The host, with the port unless it's the default, as in the `Host` field.
    public var authority: String { port.map { "\(host):\($0)" } ?? host }

    /// The origin (RFC 6454 §6.2): scheme, host, and the port unless it's the default.
    package var origin: String { "\(scheme)://\(authority)" }

    /// The port to connect to: ``port`` or the scheme's default.
    public var effectivePort: Int { port ?? (scheme == "http" ? 80 : 443) }

    /// The path without the query.
    public var path: Substring { target.prefix { $0 != "?" } }

    /// The query without its `?`; nil if there is none.
    public var query: Substring? {
        target.firstIndex(of: "?").map { target[target.index(after: $0)...] }
    }

    /// The extension of the last path component in lower case; empty if there is none.
    public var pathExtension: String {
        let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
        return name[name.index(after: dot)...].lowercased()
    }

    /// Returns whether both URLs have the same scheme, host and port.
    public func hasSameOrigin(as other: ResourceURL) -> Bool {
        scheme == other.scheme && authority == other.authority
    }

    /// The URL without its user information.
    public var withoutUserInfo: ResourceURL {
        ResourceURL(scheme: scheme, host: host, port: port, target: target, userInfo: nil)
    }

    /// Returns the URL with another path and query.
    package func with(target: String) -> ResourceURL {
        ResourceURL(scheme: scheme, host: host, port: port, target: target, userInfo: userInfo)
    }
}

extension ResourceURL: CustomStringConvertible {
    /// The URL as requested, without user information.
    public var description: String { origin + target }
}

extension ResourceURL {
    /// Resolves a URI reference against this URL (RFC 3986 §5.2). The reference is parsed as in browsers (WHATWG URL
    /// §4.4): backslashes in the path are slashes, additional slashes before a host are ignored, and percent-encoded
    /// dot segments such as `%2e%2e` are dot segments.
    ///
    /// - Throws: ``CacheError`` with ``CacheError/Code/invalidURL`` if the result isn't an http(s) URL, or is longer
    ///   than 16 KiB.
    public func resolve(_ reference: String) throws -> ResourceURL {
        let url = try resolved(reference)
        try url.checkLength()
        return url
    }

    /// The maximum length in bytes. Without it, the resolved references of a small document could be huge.
    private static let maximumLength = 16 << 10

    private func checkLength() throws {
        let length = host.utf8.count + target.utf8.count + (userInfo?.utf8.count ?? 0)
        guard length > Self.maximumLength else { return }
        throw CacheError(.invalidURL, "the URL is longer than \(Self.maximumLength) bytes")
    }

    private func resolved(_ reference: String) throws -> ResourceURL {
        let reference = BrowserReference(Self.trim(reference), baseScheme: scheme).text
        if BrowserReference.schemeEnd(reference.utf8) != nil { return try ResourceURL(reference).withoutDotSegments }
        if reference.hasPrefix("//") { return try ResourceURL("\(scheme):\(reference)").withoutDotSegments }
        let bare = String(reference.prefix { $0 != "#" })
        if bare.isEmpty { return self }
        if bare.hasPrefix("?") { return with(target: Self.escape(String(path) + bare)) }
        let referencePath = bare.prefix { $0 != "?" }
        let tail = bare[referencePath.endIndex...]
        let base = bare.hasPrefix("/") ? "" : path.lastIndex(of: "/").map { path[...$0] } ?? "/"
        return with(target: Self.escape(Self.removeDotSegments("\(base)\(referencePath)") + tail))
    }

    private var withoutDotSegments: ResourceURL {
        guard path.contains("/.") else { return self }
        return with(target: Self.removeDotSegments(String(path)) + target[path.endIndex...])
    }

    /// Removes dot segments from an absolute path (RFC 3986 §5.2.4).
    private static func removeDotSegments(_ path: String) -> String {
        var output: [Substring] = []
        let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch segment {
            case ".": if isLast { output.append("") }
            case "..":
                output = output.dropLast()
                if isLast { output.append("") }
            default: output.append(segment)
            }
        }
        return "/" + output.joined(separator: "/")
    }

    /// Removes leading and trailing whitespace, control and format characters, which pasted URLs often have.
    private static func trim(_ text: String) -> String {
        func isNoise(_ scalar: Unicode.Scalar) -> Bool {
            scalar.properties.isWhitespace || scalar.properties.generalCategory == .control
                || scalar.properties.generalCategory == .format
        }
        return String(text.unicodeScalars[...].trimmed(where: isNoise))
    }

    /// Returns the text of an invalid URL for an error message, without text before the last `@`, such as a password.
    private static func shown(_ text: String) -> String {
        text.lastIndex(of: "@").map { "…\(text[$0...])" } ?? text
    }

    /// Percent-encodes bytes that a request line can't contain: control characters, spaces and bytes above 0x7E.
    private static func escape(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 <= 0x20 || $0 >= 0x7F }) else { return text }
        return text.addingPercentEncoding(withAllowedCharacters: CharacterSet(charactersIn: "!"..."~")) ?? text
    }

    private static func splitHostAndPort(_ text: Substring) throws -> (host: String, port: Int?) {
        var host = text
        var port: Int?
        let bracket = text.lastIndex(of: "]")
        if let colon = text.lastIndex(of: ":"), bracket.map({ colon > $0 }) ?? true {
            host = text[..<colon]
            let digits = text[text.index(after: colon)...]
            if !digits.isEmpty {
                guard digits.isDecimal, let number = Int(digits), (1...65535).contains(number) else {
                    throw CacheError(.invalidURL, "the URL's port isn't a number from 1 to 65535")
                }
                port = number
            }
        }
        guard !host.isEmpty else { throw CacheError(.invalidURL, "the URL has no host") }
        let allowed = host.utf8.allSatisfy { byte in
            byte.isASCIILetter || byte.isASCIIDigit || "-._~%!$&'()*+,;=[]:".utf8.contains(byte) || byte >= 0x80
        }
        let isLiteral = host.hasPrefix("[") && host.hasSuffix("]") && host.contains(":")
        guard allowed, isLiteral || !host.contains(where: { $0 == "[" || $0 == "]" || $0 == ":" }) else {
            throw CacheError(.invalidURL, "the URL's host isn't a valid name or address")
        }
        return (String(host), port)
    }
}

extension UInt8 {
    var isASCIILetter: Bool { (0x61...0x7A).contains(self | 0x20) }
    var isASCIIDigit: Bool { (0x30...0x39).contains(self) }
}

extension BidirectionalCollection where SubSequence == Self {
    /// Returns the collection without the matching elements at its start and its end.
    func trimmed(where isBlank: (Element) -> Bool) -> Self {
        let end = lastIndex { !isBlank($0) }.map { index(after: $0) } ?? startIndex
        return self[..<end].drop(while: isBlank)
    }
}

extension StringProtocol {
    /// Whether the text consists of ASCII digits and isn't empty.
    var isDecimal: Bool { !isEmpty && utf8.allSatisfy(\.isASCIIDigit) }
}
