import ArgumentParser
import MediaCache

/// The options for requests to origins.
struct OriginOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A header field for an origin: 'https://host Name: value'. Repeatable.",
            discussion:
                "The field is sent only to that origin, not to redirect targets on other origins. In commands with "
                + "a URL, 'Name: value' is sent to the URL's origin.",
            valueName: "field"),
        transform: HeaderArgument.init(parsing:))
    var header: [HeaderArgument] = []

    @Option(
        help: ArgumentHelp(
            "An HTTP proxy for requests to origins, such as http://proxy.example:3128.", valueName: "url"))
    var proxy: String?

    @Option(
        help: ArgumentHelp(
            "A file of cookies to send, in the Netscape format that browser extensions, curl and yt-dlp write.",
            valueName: "file"), completion: .file())
    var cookies: String?

    @Option(
        help: ArgumentHelp("A PEM file of additional trusted certificates.", valueName: "file"), completion: .file())
    var caFile: String?

    @Flag(
        inversion: .prefixedNo,
        help: ArgumentHelp(
            "Compare content when ETags differ between mirrors.",
            discussion:
                "If the lengths match, 64 KiB of cached data are compared with the origin's. Without this option, a "
                + "different ETag always means a new representation."))
    var compareAlternatingTags: Bool?

    /// The settings that were given as options.
    var values: [Setting: String] {
        var values: [Setting: String] = [:]
        if !header.isEmpty { values[.header] = header.map(\.text).joined(separator: "\n") }
        values[.proxy] = proxy
        values[.cookies] = cookies
        values[.caFile] = caFile
        values[.compareAlternatingTags] = compareAlternatingTags.map { "\($0)" }
        return values
    }

    /// The given options that take effect only in the process that opens the cache folder. Header fields aren't among
    /// them, since the API accepts them.
    var given: [String] { Setting.options(of: values.filter { $0.key != .header }) }
}
