/// One reference of a playlist: a URI line, or an attribute that holds a URI.
public struct Reference: Sendable, Hashable {
    /// What the reference names.
    public var role: ReferenceRole
    /// The URI after variable substitution (RFC 8216bis, section 4.3), relative or absolute as it is written. Bytes
    /// that aren't UTF-8 are percent-encoded. Past 64 MiB of substituted text, no more is substituted.
    public var uri: String
    /// The place of the URI as it is written, within the playlist's bytes, quotes left out.
    public var bytes: Range<Int>
    /// The line, counted from 1.
    public var line: Int
    /// The attribute that holds the URI; nil for a URI line.
    public var attribute: AttributeName?
    /// Whether the attribute's value stands in quotes.
    public var isQuoted: Bool
    /// Whether the URI as it is written names variables.
    public var hasVariables: Bool

    /// How the URI is written (RFC 3986, section 4.2).
    public var form: URLReference.Form { URLReference.form(of: uri) }
}
