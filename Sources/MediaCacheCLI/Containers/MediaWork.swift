import MediaCache
import MediaCacheAPI
import MediaContainers
import MediaLibrary

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
        guard inputs.contains(where: \.isURL) else {
            return try await untilInterrupted("the same command begins anew") {
                try await work(nil, inputs.first?.name, progress, body)
            }
        }
        let url = inputs.lazy.compactMap(\.url).first
        return try await run(
            through: cache, origin: origin, url: url, name: inputs.first?.name, showing: progress, body)
    }

    /// Does `body` with a way to the cache.
    ///
    /// - Parameter url: what header fields without an origin are for.
    static func run<Result: Sendable>(
        through cache: CacheOptions, origin: OriginOptions, url: ResourceURL?, name: String? = nil,
        showing progress: WorkProgress?, _ body: @escaping @Sendable (InputOpening) throws -> Result
    ) async throws -> Result {
        let settings = try HostSettings(cache: cache, origin: origin, url: url)
        let header = origin.header
        return try await untilInterrupted("what came is kept, and the same command has it at once") {
            try await Connection.use(settings) { connection in
                if let url { try await HeaderArgument.apply(header, for: url, to: connection.client) }
                return try await work(connection, name ?? url.map { "\($0)" }, progress, body)
            }
        }
    }

    private static func work<Result: Sendable>(
        _ connection: Connection?, _ name: String?, _ progress: WorkProgress?,
        _ body: @escaping @Sendable (InputOpening) throws -> Result
    ) async throws -> Result {
        try await BlockingWork.run { control in
            do {
                return try body(InputOpening(connection: connection, control: control, progress: progress))
            } catch let error as ContainerError {
                throw CommandFailure(error, of: name ?? "the input")
            }
        }
    }

    /// - Parameter goingOn: what to do after Ctrl-C, in words.
    private static func untilInterrupted<Result: Sendable>(
        _ goingOn: String, _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        guard let done = try await Interruption().cancelling(body) else {
            throw CommandFailure(.interrupted, "interrupted; \(goingOn)")
        }
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
