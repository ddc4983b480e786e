import ArgumentParser
import MediaCacheAPI

/// The arguments of commands that apply to downloads.
struct DownloadReferences: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The IDs, URLs or titles of downloads.", valueName: "id"),
        completion: ServerCompletion.downloads,
        transform: AssetReference.init(parsing:))
    var downloads: [AssetReference] = []

    @Flag(help: "Apply to all downloads.")
    var all = false

    func validate() throws {
        if downloads.isEmpty, !all { throw ValidationError("Specify downloads by ID, URL or title, or use --all.") }
        if !downloads.isEmpty, all { throw ValidationError("--all can't be combined with IDs, URLs or titles.") }
    }

    /// Returns the specified downloads, without duplicates.
    func find(through client: APIClient) async throws -> [DownloadRecord] {
        let records = try await client.downloads()
        guard !all else { return records }
        var found: [DownloadRecord] = []
        for argument in downloads {
            let record = try await argument.find(in: records, noun: "download", client: client)
            if !found.contains(where: { $0.id == record.id }) { found.append(record) }
        }
        return found
    }
}
