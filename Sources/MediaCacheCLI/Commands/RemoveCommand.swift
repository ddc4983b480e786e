import ArgumentParser
import MediaCache
import MediaCacheServer

/// `mediacache remove URL…`.
struct RemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Removes what is kept of URLs, or everything.",
        discussion: """
              mediacache remove https://example.org/film.mp4
              mediacache remove --all                 all but what is pinned
              mediacache remove --all --pinned        really all

            What someone reads goes when the last reader has left; the output says so. Files that `get -o` made stay.
            --json prints an object: removed (an array of key, bytes, isDeferred) and missing (an array of URLs of \
            which nothing was kept). Exit code 2 if some of the URLs weren't there, 1 if none was.
            """
    )

    @Argument(help: "The URLs.", transform: URLArgument.parse)
    var urls: [ResourceURL] = []

    @Flag(help: "Remove everything that isn't pinned.")
    var all = false

    @Flag(help: "With --all: remove what is pinned too.")
    var pinned = false

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var cache: CacheOptions

    func validate() throws {
        if all != urls.isEmpty { throw ValidationError("Name URLs, or say --all.") }
        if pinned && !all { throw ValidationError("--pinned goes with --all.") }
    }

    func run() async throws {
        let (urls, all, pinned) = (urls, all, pinned)
        let outcome = try await Connection.use(HostSettings(cache: cache)) { connection in
            var outcome = Outcome()
            if all {
                outcome.removed = try await connection.client.removeAll(includingPinned: pinned)
            }
            for url in urls {
                do {
                    if let resource = try await connection.client.resource(for: url) {
                        outcome.removed += try await connection.client.remove(id: resource.id)
                    } else {
                        outcome.missing.append(url.description)
                    }
                } catch  where !outcome.removed.isEmpty {
                    // What is removed is removed; the output has to say so.
                    outcome.reason = CommandFailure(error)?.message ?? "\(error)"
                    break
                }
            }
            return outcome
        }
        if json {
            try StandardStreams.print(JSONOutput.text(outcome))
        } else if !outcome.removed.isEmpty || outcome.missing.isEmpty {
            try StandardStreams.print(outcome.text)
        }
        if let reason = outcome.reason { throw CommandFailure(.partial, "not all was removed: \(reason)") }
        if !outcome.missing.isEmpty {
            let what = outcome.missing.joined(separator: " ")
            throw CommandFailure(outcome.removed.isEmpty ? .failed : .partial, "nothing is kept of \(what)")
        }
    }

    /// What became of all of them.
    struct Outcome: Encodable, Sendable {
        /// What was removed, or will be.
        var removed: [Removal] = []
        /// URLs of which nothing was kept.
        var missing: [String] = []
        /// Why it ended early.
        var reason: String?

        private enum CodingKeys: String, CodingKey {
            case removed
            case missing
        }

        /// In words.
        var text: String {
            guard !removed.isEmpty else { return "Nothing was removed." }
            return removed.map { removal in
                let amount = ByteCount(removal.bytes)
                let name = Table.printable(removal.key)
                return removal.isDeferred
                    ? "In use, goes when its last reader leaves: \(name) (\(amount))" : "Removed: \(name) (\(amount))"
            }.joined(separator: "\n")
        }
    }
}
