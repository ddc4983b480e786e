import ArgumentParser
import MediaCache
import MediaCacheAPI

/// The option for a file of URLs, in addition to references as arguments.
struct URLListOption: ParsableArguments {
    @Option(
        help: ArgumentHelp("Also read URLs from this file, one per line; - is standard input.", valueName: "file"),
        completion: .file())
    var inputFile: String?

    /// Returns the URLs at the origin of references, and then the URLs of the file. The cache is opened once if one of
    /// the references isn't a URL.
    ///
    /// - Throws: ``CommandFailure`` if there are none; the errors of ``APIClient/originURL(of:)``.
    func urls(of media: [AssetReference], in cache: CacheOptions) async throws -> [ResourceURL] {
        var urls = media.compactMap(\.url)
        if urls.count < media.count {
            urls = try await Connection.use(try HostSettings(cache: cache), waits: false) { connection in
                var urls: [ResourceURL] = []
                for reference in media { urls.append(try await connection.client.originURL(of: reference)) }
                return urls
            }
        }
        urls += try inputFile.map(URLFile.read) ?? []
        guard !urls.isEmpty else {
            throw CommandFailure(.usage, "the --input-file contains no URLs; write one on each line")
        }
        return urls
    }
}
