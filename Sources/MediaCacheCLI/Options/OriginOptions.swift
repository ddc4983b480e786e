import ArgumentParser
import MediaCache

/// The options of requests to origins.
struct OriginOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A header field for an origin: 'https://host Name: value'. Repeatable.",
            discussion:
                "The field is sent only to that origin, not to redirect targets elsewhere. In commands with a URL, "
                + "'Name: value' is sent to the URL's origin.",
            valueName: "field"),
        transform: HeaderArgument.init(parsing:))
    var header: [HeaderArgument] = []

    @Option(
        help: ArgumentHelp(
            "An HTTP proxy for requests to origins, such as http://proxy.example:3128.", valueName: "url"))
    var proxy: String?

    @Option(
        help: ArgumentHelp(
            "A file of cookies to send, in the Netscape format of browser exports, curl and yt-dlp.",
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
                "Otherwise a different ETag is a new representation. If the lengths agree, 64 KiB of cached data "
                + "are compared with the origin's."))
    var compareAlternatingTags: Bool?

    /// The given settings.
    var values: [Setting: String] {
        var values: [Setting: String] = [:]
        if !header.isEmpty { values[.header] = header.map(\.text).joined(separator: "\n") }
        values[.proxy] = proxy
        values[.cookies] = cookies
        values[.caFile] = caFile
        values[.compareAlternatingTags] = compareAlternatingTags.map { "\($0)" }
        return values
    }

    /// The given options that have effect only in the process that opens the folder. The API accepts header fields.
    var given: [String] { Setting.options(of: values.filter { $0.key != .header }) }
}
