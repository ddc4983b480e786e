import MediaCache
import MediaCacheServer
import MediaContainers

/// Opens inputs for work on a thread of its own.
struct InputOpening: Sendable {
    /// The way to the cache; nil where only files of this machine are read.
    var connection: Connection?
    /// What ends the work.
    var control: WorkControl

    /// The bytes of an input.
    ///
    /// - Throws: ``CommandFailure``, or `ContainerError` for a file.
    func bytes(of input: InputArgument) throws -> InputBytes {
        switch input {
        case .file(let path): return try InputBytes(path: path, control: control)
        case .standardInput:
            throw CommandFailure(.usage, "standard input can't be read at any place; name a file or a URL")
        case .url(let url):
            guard let connection else { throw CommandFailure(.failed, "\(url): no cache is open to read it through") }
            let playURL = try control.wait { try await connection.client.playURL(for: url) }
            do {
                return .resource(try PlaySource(playURL, client: connection.client, control: control))
            } catch {
                throw CommandFailure(error, of: "\(url)")
            }
        }
    }
}
