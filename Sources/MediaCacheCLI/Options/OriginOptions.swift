import ArgumentParser
import MediaCache
import MediaLibrary

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
            "An http, https or socks5 proxy, such as http://proxy.example:3128.",
            discussion:
                "The proxy resolves the names of origins. An HTTP proxy forwards requests to http origins, and must permit "
                + "CONNECT to https origins. A user name and password can be part of the URL. Other "
                + "users of this machine can read options, so set a URL with a password in the environment "
                + "(MEDIACACHE_PROXY) or in the configuration file.",
            valueName: "url"))
    var proxy: String?

    @Option(
        help: ArgumentHelp(
            "A file of cookies in the Netscape format, as used by curl and yt-dlp.", valueName: "file"),
        completion: .file())
    var cookies: String?

    @Option(
        help: ArgumentHelp(
            "A netrc file with user names and passwords for origins.", valueName: "file"),
        completion: .file())
    var netrc: String?

    @Option(
        help: ArgumentHelp("A PEM file of additional trusted certificates.", valueName: "file"), completion: .file())
    var caFile: String?

    @OptionGroup var transfers: TransferOptions

    @Flag(
        inversion: .prefixedNo,
        help: ArgumentHelp(
            "Compare content when ETags differ between mirrors.",
            discussion:
                "If the lengths match, 64 KiB of cached data are compared with the origin's. Without this option, a "
                + "different ETag always means a new representation."))
    var compareAlternatingTags: Bool?

    var values: [Setting: String] {
        var values = transfers.values
        if !header.isEmpty { values[.header] = header.map(\.text).joined(separator: "\n") }
        values[.proxy] = proxy
        values[.cookies] = cookies
        values[.netrc] = netrc
        values[.caFile] = caFile
        values[.compareAlternatingTags] = compareAlternatingTags.map { "\($0)" }
        return values
    }

    /// The given options that take effect only in the process that opens the cache folder. `--header` is excluded,
    /// since the API accepts header fields.
    var given: [String] { Setting.options(of: values.filter { $0.key != .header }) }
}
