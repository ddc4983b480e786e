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

    @Option(
        help: ArgumentHelp("The time limit for connecting to an origin. (default: 10s)", valueName: "time"),
        transform: DurationText.parse)
    var connectTimeout: Duration?

    @Option(
        help: ArgumentHelp("The time limit for the beginning of a response. (default: 20s)", valueName: "time"),
        transform: DurationText.parse)
    var responseTimeout: Duration?

    @Option(
        help: ArgumentHelp("The time limit for a pause within a response. (default: 15s)", valueName: "time"),
        transform: DurationText.parse)
    var stallTimeout: Duration?

    @Option(
        help: ArgumentHelp(
            "The maximum number of consecutive retries without progress. (default: 4)", valueName: "count"))
    var retries: Int?

    @Option(
        help: ArgumentHelp(
            "The maximum read-ahead for a player, at least 64KiB. (default: 8MiB)", valueName: "size"),
        transform: ByteCount.init(parsing:))
    var readAhead: ByteCount?

    @Option(
        help: ArgumentHelp(
            "The maximum rate of all transfers, such as 10MB/s. Playback has priority.", valueName: "rate"),
        transform: ByteRate.init(parsing:))
    var limitTotalRate: ByteRate?

    @Option(
        help: ArgumentHelp(
            "The maximum rate of a class of transfers: 'recording=2MB/s'. Repeatable.",
            discussion:
                "The classes are playback, recording, preload (content that plays next) and background (such as "
                + "covers). --limit-rate limits downloads.",
            valueName: "class=rate"),
        transform: ClassRate.init(parsing:))
    var limitClassRate: [ClassRate] = []

    @Flag(
        inversion: .prefixedNo,
        help: ArgumentHelp(
            "Compare content when ETags differ between mirrors.",
            discussion:
                "If the lengths match, 64 KiB of cached data are compared with the origin's. Without this option, a "
                + "different ETag always means a new representation."))
    var compareAlternatingTags: Bool?

    var values: [Setting: String] {
        var values: [Setting: String] = [:]
        if !header.isEmpty { values[.header] = header.map(\.text).joined(separator: "\n") }
        values[.proxy] = proxy
        values[.cookies] = cookies
        values[.netrc] = netrc
        values[.caFile] = caFile
        values[.connectTimeout] = connectTimeout.map(DurationText.exact)
        values[.responseTimeout] = responseTimeout.map(DurationText.exact)
        values[.stallTimeout] = stallTimeout.map(DurationText.exact)
        values[.retries] = retries.map(String.init)
        values[.readAhead] = readAhead?.exactText
        values[.limitTotalRate] = limitTotalRate?.exactText
        if !limitClassRate.isEmpty { values[.limitClassRate] = limitClassRate.map(\.text).joined(separator: "\n") }
        values[.compareAlternatingTags] = compareAlternatingTags.map { "\($0)" }
        return values
    }

    /// The given options that take effect only in the process that opens the cache folder. Header fields aren't among
    /// them, since the API accepts them.
    var given: [String] { Setting.options(of: values.filter { $0.key != .header }) }
}
