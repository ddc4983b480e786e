import ArgumentParser
import MediaCache
import MediaCacheAPI

/// `mediacache remove URL…`.
struct RemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Removes what is kept of URLs or assets, or everything.",
        discussion: """
              mediacache remove https://example.org/film.mp4
              mediacache remove 'A film'              an asset, by its name or title
              mediacache remove --all                 all but what is pinned
              mediacache remove --all --pinned        really all

            What someone reads goes when the last reader has left; the output says so. Files that `get -o` made stay.
            --json prints an object: removed (an array of key, bytes, isDeferred), assets (an array of the names of those \
            removed) and missing (an array of what there was nothing of). Exit code 2 if some weren't there, 1 if none \
            was.
            """,
        aliases: ["rm"]
    )

    @Argument(
        help: ArgumentHelp("What is kept: URLs, numbers of `list --json`, names or titles.", valueName: "asset"),
        completion: ServerCompletion.assets,
        transform: AssetArgument.init(parsing:))
    var items: [AssetArgument] = []

    @Flag(help: "Remove everything that isn't pinned.")
    var all = false

    @Flag(help: "With --all: remove what is pinned too.")
    var pinned = false

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var cache: CacheOptions

    func validate() throws {
        if all != items.isEmpty { throw ValidationError("Name URLs or assets, or say --all.") }
        if pinned && !all { throw ValidationError("--pinned goes with --all.") }
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
                    // What is removed is removed; the output has to say so.
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
        if let reason = outcome.reason { throw CommandFailure(.partial, "not all was removed: \(reason)") }
        if !outcome.missing.isEmpty {
            let what = outcome.missing.joined(separator: " ")
            throw CommandFailure(outcome.hasRemoved ? .partial : .failed, "nothing is kept of \(what)")
        }
    }

    private static func remove(_ item: AssetArgument, _ client: APIClient, _ outcome: inout Outcome) async throws {
        let resource =
            switch item {
            case .url(let url): try await client.resource(for: url)
            case .id(let id): try await client.resource(id: id)
            case .asset: nil as ResourceRecord?
            }
        if let resource {
            outcome.removed += try await client.remove(id: resource.id)
            return
        }
        // A recording that has ended has no resource of its own URL.
        let assets = try await client.assets()
        let isThere = assets.contains { asset in
            switch item {
            case .url(let url): asset.url == "\(url)"
            case .id: false
            case .asset(let name): asset.id == name || asset.title == name
            }
        }
        guard isThere else {
            outcome.missing.append(item.text)
            return
        }
        let asset = try await item.find(in: assets, what: "asset", asking: client)
        try await client.removeAsset(asset.id)
        outcome.assets.append(asset.title ?? asset.url)
    }

    /// What became of all of them.
    struct Outcome: Encodable, Sendable {
        /// What was removed, or will be.
        var removed: [Removal] = []
        /// Assets that were removed, by what people call them.
        var assets: [String] = []
        /// What nothing was kept of.
        var missing: [String] = []
        /// Why it ended early.
        var reason: String?

        private enum CodingKeys: String, CodingKey {
            case removed
            case assets
            case missing
        }

        /// Whether anything was.
        var hasRemoved: Bool { !removed.isEmpty || !assets.isEmpty }

        /// In words.
        var text: String {
            guard hasRemoved else { return "Nothing was removed." }
            let resources = removed.map { removal in
                let amount = ByteCount(removal.bytes)
                let name = Table.printable(removal.key)
                return removal.isDeferred
                    ? "In use, goes when its last reader leaves: \(name) (\(amount))" : "Removed: \(name) (\(amount))"
            }
            return (resources + assets.map { "Removed: \(Table.printable($0))" }).joined(separator: "\n")
        }
    }
}
