import ArgumentParser
import MediaCache

/// How origins are asked.
struct OriginOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A header field for an origin: 'https://host Name: value'. Can be repeated.",
            discussion: "It goes to that origin alone, never along with a redirect elsewhere. Where the command takes "
                + "a URL, 'Name: value' is for the URL's origin.",
            valueName: "field"),
        transform: HeaderArgument.init(parsing:))
    var header: [HeaderArgument] = []

    @Option(
        help: ArgumentHelp("Ask origins through this HTTP proxy, such as http://proxy.example:3128.", valueName: "url"))
    var proxy: String?

    @Option(
        help: ArgumentHelp(
            "Send the cookies in this file, in the format that browsers' exports, curl and yt-dlp share.",
            valueName: "file"), completion: .file())
    var cookies: String?

    @Option(help: ArgumentHelp("Trust the certificates in this PEM file too.", valueName: "file"), completion: .file())
    var caFile: String?

    @Flag(
        inversion: .prefixedNo,
        help: ArgumentHelp(
            "Where entity tags alternate, as behind a balancer, compare bytes instead.",
            discussion: "A change of tag is a new version unless this is given. Then 64 KiB of what is kept are "
                + "compared with what comes, as long as the lengths agree."))
    var compareAlternatingTags: Bool?

    /// What was given of the settings.
    var values: [Setting: String] {
        var values: [Setting: String] = [:]
        if !header.isEmpty { values[.header] = header.map(\.text).joined(separator: "\n") }
        values[.proxy] = proxy
        values[.cookies] = cookies
        values[.caFile] = caFile
        values[.compareAlternatingTags] = compareAlternatingTags.map { "\($0)" }
        return values
    }

    /// The options given that only who opens the folder can heed. Header fields aren't among them: the API takes those.
    var given: [String] { Setting.options(of: values.filter { $0.key != .header }) }
}
