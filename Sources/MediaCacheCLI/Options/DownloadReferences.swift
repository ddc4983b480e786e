import ArgumentParser
import MediaCacheAPI

/// The arguments of commands about downloads.
struct DownloadReferences: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The IDs, URLs or titles of downloads.", valueName: "id"),
        completion: ServerCompletion.downloads,
        transform: AssetArgument.init(parsing:))
    var downloads: [AssetArgument] = []

    @Flag(help: "All downloads.")
    var all = false

    func validate() throws {
        if downloads.isEmpty, !all { throw ValidationError("Give the ID, URL or title of a download, or --all.") }
        if !downloads.isEmpty, all { throw ValidationError("--all can't be combined with downloads.") }
    }

    /// Returns the downloads that the arguments name, without repetitions.
    ///
    /// - Throws: ``CommandFailure`` for an unknown download; errors of the API.
    func find(through client: APIClient) async throws -> [DownloadRecord] {
        let known = try await client.downloads()
        guard !all else { return known }
        var found: [DownloadRecord] = []
        for argument in downloads {
            let record = try await argument.find(in: known, what: "download", asking: client)
            if !found.contains(where: { $0.id == record.id }) { found.append(record) }
        }
        return found
    }
}
