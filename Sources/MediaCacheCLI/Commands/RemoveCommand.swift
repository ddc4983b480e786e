import ArgumentParser
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// `mediacache remove URL|ITEM…`.
struct RemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Removes films, songs, streams and other cached data.",
        usage: "mediacache remove [<asset> ...] [<options>]",
        discussion: """
            EXAMPLES:
              mediacache remove https://example.org/film.mp4
              mediacache remove 'A film'              a title or an ID from `list`
              mediacache remove --all                 everything that isn't pinned
              mediacache remove --all --pinned        downloads, imports, recordings too

            Data that is being read is removed once its last reader has finished; the output mentions this. Files \
            written by `get -o` aren't removed. Channels and recordings stay listed; `channels remove` removes a channel, \
            and `remove` with its ID a recording.

            OUTPUT:
            --json prints an object: removed (an array of objects: key, bytes, isDeferred), assets (an array of the \
            titles of removed assets) and missing (an array of arguments without cached data). The exit code is 2 if \
            only some arguments had cached data, 1 if none had.
            """,
        aliases: ["rm"]
    )

    @Argument(
        help: ArgumentHelp("The items or resources: URLs, IDs or titles.", valueName: "asset"),
        completion: ServerCompletion.titles,
        transform: AssetReference.init(parsing:))
    var items: [AssetReference] = []

    @Flag(help: "Remove everything that isn't pinned.")
    var all = false

    @Flag(
        help: "With --all, also remove pinned data: downloads, imports and the recorded segments of channels.")
    var pinned = false

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup(title: "Global options") var cache: CacheOptions

    func validate() throws {
        if all != items.isEmpty { throw ValidationError("Specify URLs or assets, or use --all.") }
        if pinned && !all { throw ValidationError("--pinned needs --all.") }
    }

    func run() async throws {
        let (items, all, pinned) = (items, all, pinned)
        let outcome = try await Connection.use(HostSettings(cache: cache)) { connection in
            var outcome = Outcome()
            if all {
                outcome.removed = try await connection.client.removeAll(includingPinned: pinned)
            }
            for item in items {
                do {
                    try await Self.remove(item, connection.client, &outcome)
                } catch  where outcome.hasRemoved {
                    // The output lists the items removed before the error.
                    outcome.reason = CommandFailure(error)?.message ?? "\(error)"
                    break
                }
            }
            return outcome
        }
        if json {
            try StandardStreams.print(JSONOutput.text(outcome))
        } else if outcome.hasRemoved || outcome.missing.isEmpty {
            try StandardStreams.print(outcome.text)
        }
        if let reason = outcome.reason { throw CommandFailure(.partial, "not everything was removed: \(reason)") }
        if !outcome.missing.isEmpty {
            let names = outcome.missing.joined(separator: ", ")
            throw CommandFailure(outcome.hasRemoved ? .partial : .failed, "not cached: \(names)")
        }
    }

    private static func remove(_ item: AssetReference, _ client: APIClient, _ outcome: inout Outcome) async throws {
        if case .url(let url) = item, let resource = try await client.resource(for: url) {
            outcome.removed.append(try await client.removeTitle(of: resource))
            return
        }
        guard let found = try await client.itemIfFound(item) else {
            outcome.missing.append(item.text)
            return
        }
        switch found.kind {
        case .channel:
            throw CommandFailure(
                .failed,
                "\(item.text) is a channel; `mediacache channels remove \(found.id)` deletes it and its recording")
        case .file, .stream, .parts:
            guard let resource = try await client.resource(of: found) else { return outcome.missing.append(item.text) }
            outcome.removed.append(try await client.removeTitle(of: resource))
        case .asset:
            // A resource's number refers to the file or stream that the resource plays, not only to the asset.
            if case .id(let id) = item, let resource = try await client.resource(id: id), resource.url == found.url {
                outcome.removed.append(try await client.removeTitle(of: resource))
            } else {
                try await client.removeAsset(found.id)
                outcome.assets.append(found.title ?? found.url)
            }
        }
    }

    struct Outcome: Encodable, Sendable {
        /// The removed resources, including those that are still being read.
        var removed: [Removal] = []
        var assets: [String] = []
        /// The arguments without cached data.
        var missing: [String] = []
        /// The error that ended the command early.
        var reason: String?

        private enum CodingKeys: String, CodingKey {
            case removed
            case assets
            case missing
        }

        var hasRemoved: Bool { !removed.isEmpty || !assets.isEmpty }

        var text: String {
            guard hasRemoved else { return "Nothing was removed." }
            let resources = removed.map { removal in
                let amount = ByteCount(removal.bytes)
                let name = Table.printable(removal.key)
                return removal.isDeferred
                    ? "In use, will be removed after its last reader: \(name) (\(amount))"
                    : "Removed: \(name) (\(amount))"
            }
            return (resources + assets.map { "Removed: \(Table.printable($0))" }).joined(separator: "\n")
        }
    }
}
