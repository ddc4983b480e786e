import ArgumentParser
import MediaCacheAPI

/// Which downloads a command is about.
struct DownloadReferences: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The downloads: their IDs, URLs or titles.", valueName: "id"),
        completion: ServerCompletion.downloads,
        transform: AssetArgument.init(parsing:))
    var downloads: [AssetArgument] = []

    @Flag(help: "All of them.")
    var all = false

    func validate() throws {
        if downloads.isEmpty, !all { throw ValidationError("Name a download by its ID, URL or title, or say --all.") }
        if !downloads.isEmpty, all { throw ValidationError("--all is all of them; name none besides.") }
    }

    /// Those that are meant, each once.
    ///
    /// - Throws: ``CommandFailure`` for what is none, and what the cache's owner answers.
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
