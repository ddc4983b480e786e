import MediaCache
import MediaCacheAPI
import MediaLibrary

/// Jobs that read media. Ctrl-C cancels them.
enum MediaSession {
    /// Runs `body`, with a connection if an input is a URL or an item. Header fields without an origin are sent to the
    /// origin of the first URL, or without a URL to that of the first item.
    static func run<Result: Sendable>(
        on inputs: [InputArgument], origin: OriginOptions, cache: CacheOptions,
        _ body: @escaping @Sendable (Connection?) async throws -> Result
    ) async throws -> Result {
        guard let first = inputs.lazy.compactMap(\.reference).first else {
            return try await untilInterrupted("run the command again to start over") { try await body(nil) }
        }
        var url = inputs.lazy.compactMap(\.url).first
        if url == nil, !origin.header.isEmpty { url = try await first.originURL(in: cache) }
        return try await run(through: cache, origin: origin, url: url) { try await body($0) }
    }

    /// Runs `body` with a connection to the cache.
    ///
    /// - Parameter url: The URL whose origin receives header fields without an origin.
    static func run<Result: Sendable>(
        through cache: CacheOptions, origin: OriginOptions, url: ResourceURL?,
        _ body: @escaping @Sendable (Connection) async throws -> Result
    ) async throws -> Result {
        let settings = try HostSettings(cache: cache, origin: origin, url: url)
        let header = origin.header
        return try await untilInterrupted("received data is cached; run the command again to resume") {
            try await Connection.use(settings) { connection in
                if let url { try await HeaderArgument.apply(header, for: url, to: connection.client) }
                return try await body(connection)
            }
        }
    }

    private static func untilInterrupted<Result: Sendable>(
        _ advice: String, _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        guard let result = try await Interruption().cancelling(body) else {
            throw CommandFailure(.interrupted, "interrupted; \(advice)")
        }
        return result
    }

    /// Returns the error for origin options if all inputs are local, so that the options have no effect; otherwise nil.
    static func unusedOption(of origin: OriginOptions, for inputs: [InputArgument]) -> String? {
        if inputs.contains(where: { $0.reference != nil }) { return nil }
        let given = (origin.header.isEmpty ? [] : ["--header"]) + origin.given
        guard let option = given.first else { return nil }
        let names = inputs.map(\.name).joined(separator: ", ")
        return "\(option) applies to URLs, but \(names) \(inputs.count == 1 ? "is" : "are") read from this machine."
    }
}

extension Connection {
    var gateway: APIGateway { APIGateway(client: client) }
}

extension ReadProgress {
    convenience init(_ printer: ProgressPrinter) {
        self.init { printer.show(bytes: $0, of: $1) }
    }
}
