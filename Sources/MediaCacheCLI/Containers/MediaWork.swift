import MediaCache
import MediaCacheServer
import MediaContainers

/// Work on inputs: with a way to the cache where one of them is a URL, on a thread of its own, until Ctrl-C.
enum MediaWork {
    /// Does `body`.
    ///
    /// - Parameters:
    ///   - inputs: what is read.
    ///   - origin: how origins are asked; header fields without an origin are for the first URL's.
    ///   - cache: which folder.
    ///   - progress: what is told of what is read.
    /// - Throws: ``CommandFailure``, naming the first input for what `body` throws of containers.
    static func run<Result: Sendable>(
        on inputs: [InputArgument], origin: OriginOptions, cache: CacheOptions, showing progress: WorkProgress? = nil,
        _ body: @escaping @Sendable (InputOpening) throws -> Result
    ) async throws -> Result {
        let name = inputs.first?.name ?? "the input"
        let work: @Sendable (Connection?) async throws -> Result = { connection in
            try await BlockingWork.run { control in
                do {
                    return try body(InputOpening(connection: connection, control: control, progress: progress))
                } catch let error as ContainerError {
                    throw CommandFailure(error, of: name)
                }
            }
        }
        let url = inputs.lazy.compactMap(\.url).first
        let settings = try url.map { try HostSettings(cache: cache, origin: origin, url: $0) }
        let header = origin.header
        let done = try await Interruption().cancelling {
            guard let settings, let url else { return try await work(nil) }
            return try await Connection.use(settings) { connection in
                try await HeaderArgument.apply(header, for: url, to: connection.client)
                return try await work(connection)
            }
        }
        guard let done else { throw CommandFailure(.interrupted, "interrupted") }
        return done
    }

    /// Why an option about origins makes no sense, where none is asked; nil if none was given.
    static func unheeded(_ origin: OriginOptions, by inputs: [InputArgument]) -> String? {
        if inputs.contains(where: \.isURL) { return nil }
        let given = (origin.header.isEmpty ? [] : ["--header"]) + origin.given
        guard let option = given.first else { return nil }
        let names = inputs.map(\.name).joined(separator: ", ")
        let verb = inputs.count == 1 ? "is" : "are"
        return "\(option) is about asking an origin; \(names) \(verb) read from this machine."
    }
}
