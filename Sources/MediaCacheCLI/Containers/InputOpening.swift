import MediaCache
import MediaCacheAPI
import MediaContainers
import MediaLibrary

/// Opens inputs for work on a thread of its own.
struct InputOpening: Sendable {
    /// The way to the cache; nil where only files of this machine are read.
    var connection: Connection?
    /// What ends the work.
    var control: WorkControl
    /// What is told of what is read.
    var progress: WorkProgress?
    /// Whether only what is kept is read, and no origin is asked.
    var isKeptOnly = false

    /// What can't be done with standard input.
    static let standardInputFailure = CommandFailure(
        .usage, "standard input can't be read at any place; name a file or a URL")

    /// The bytes of an input.
    ///
    /// - Throws: ``CommandFailure``, or `ContainerError` for a file.
    func bytes(of input: InputArgument) throws -> InputBytes {
        switch input {
        case .file(let path): return try InputBytes(path: path, control: control, progress: progress)
        case .standardInput: throw Self.standardInputFailure
        case .url(let url):
            guard let connection else { throw noCache(for: url) }
            let playURL = try playURL(for: url)
            do {
                return .resource(
                    try PlaySource(playURL, client: connection.client, control: control, progress: progress))
            } catch {
                throw CommandFailure(error, of: "\(url)")
            }
        }
    }

    /// The URL by which `url` is read through the cache.
    ///
    /// - Throws: ``CommandFailure``, and what the cache's owner answers.
    func playURL(for url: ResourceURL) throws -> String {
        guard let connection else { throw noCache(for: url) }
        // What an asset consists of has names of its own.
        if connection.client.isLibraryURL("\(url)") { return "\(url)" }
        let playURL = try control.wait { try await connection.client.playURL(for: url) }
        return isKeptOnly ? APIClient.keptOnly(playURL) : playURL
    }

    private func noCache(for url: ResourceURL) -> CommandFailure {
        CommandFailure(.failed, "\(url): no cache is open to read it through")
    }
}
