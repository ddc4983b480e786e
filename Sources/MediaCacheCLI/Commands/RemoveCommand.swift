import ArgumentParser
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// `mediacache remove URL…`.
struct RemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Removes cached resources and assets.",
        usage: "mediacache remove [<asset> ...] [<options>]",
        discussion: """
            EXAMPLES:
              mediacache remove https://example.org/film.mp4
              mediacache remove 'A film'              an asset, by its ID or title
              mediacache remove --all                 everything that isn't pinned
              mediacache remove --all --pinned        everything

            Data that is being read is removed once its last reader has finished; the output mentions this. Files \
            written by `get -o` aren't removed.

            OUTPUT:
            --json prints an object: removed (an array of objects: key, bytes, isDeferred), assets (an array of the \
            names of removed assets) and missing (an array of arguments without cached data). The exit code is 2 if \
            only some arguments had cached data, 1 if none had.
            """,
        aliases: ["rm"]
    )

    @Argument(
        help: ArgumentHelp("The URLs, IDs or titles of resources and assets.", valueName: "asset"),
        completion: ServerCompletion.assets,
        transform: AssetReference.init(parsing:))
    var items: [AssetReference] = []

    @Flag(help: "Remove everything that isn't pinned.")
    var all = false

    @Flag(help: "With --all, also remove pinned data.")
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
        let resource =
            switch item {
            case .url(let url): try await client.resource(for: url)
            case .id(let id): try await client.resource(id: id)
            case .asset: nil as ResourceRecord?
            }
        if let resource {
            outcome.removed.append(try await client.removeTitle(of: resource))
            return
        }
        // An ended recording has no resource at its URL.
        let assets = try await client.assets()
        let exists = assets.contains { asset in
            switch item {
            case .url(let url): asset.url == "\(url)"
            case .id: false
            case .asset(let name): asset.id == name || asset.title == name
            }
        }
        guard exists else {
            outcome.missing.append(item.text)
            return
        }
        let asset = try await item.find(in: assets, noun: "asset", client: client)
        try await client.removeAsset(asset.id)
        outcome.assets.append(asset.title ?? asset.url)
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
