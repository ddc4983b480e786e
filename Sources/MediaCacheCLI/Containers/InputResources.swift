import Foundation
import MediaCache
import MediaCacheAPI
import MediaContainers
import MediaLibrary

/// The resources of a stream: files of this machine, or through the cache what is asked for by HTTP.
struct InputResources: StreamResources {
    /// How inputs are opened.
    var opening: InputOpening
    /// Whether an input is a file, whose references may name other files, and what isn't behind a play URL yet. What
    /// comes from afar names play URLs alone, since the cache has seen to it that those may be asked.
    var readsFiles: Bool

    /// The URL of an input as references resolve against it. Of one that is asked for by HTTP, the play URL: a playlist's
    /// references come back through the cache.
    ///
    /// - Throws: what the cache's owner answers.
    func url(of input: InputArgument) throws -> String {
        switch input {
        case .url(let url): try opening.playURL(for: url)
        case .file(let path): URL(fileURLWithPath: path).absoluteString
        case .standardInput: throw InputOpening.standardInputFailure
        }
    }

    /// Reads all of a small resource; see `StreamResources`.
    func contents(of url: String, limit: Int) throws(ContainerError) -> (bytes: [UInt8], location: String) {
        if let path = path(of: url) {
            let source = try InputBytes(path: path, control: opening.control)
            return (try source.bytes(0..<source.length, limit: limit), url)
        }
        let (playURL, client) = try playURL(of: url)
        do {
            let part = try opening.control.wait { try await client.media(at: playURL, limit: limit) }
            return (part.bytes, playURL)
        } catch {
            throw ContainerError(.inputOutput, "the cache can't read it", cause: error)
        }
    }

    /// Opens a media segment; see `StreamResources`.
    func bytes(of url: String, range: Range<Int64>?) throws(ContainerError) -> ByteSlice<InputBytes> {
        let source: InputBytes
        if let path = path(of: url) {
            source = try InputBytes(path: path, control: opening.control, progress: opening.progress)
        } else {
            let (playURL, client) = try playURL(of: url)
            source = .resource(
                try PlaySource(
                    playURL, from: range?.lowerBound ?? 0, client: client, control: opening.control,
                    progress: opening.progress))
        }
        return try ByteSlice(source, range ?? 0..<source.length)
    }

    /// The file that a URL names; nil for another scheme, and where no file may be named.
    private func path(of url: String) -> String? {
        guard readsFiles, url.hasPrefix("file:") else { return nil }
        return URL(string: url)?.path(percentEncoded: false)
    }

    /// The play URL of what a reference resolved to: itself, or where a file names something else.
    private func playURL(of url: String) throws(ContainerError) -> (String, APIClient) {
        guard let connection = opening.connection else {
            throw ContainerError(
                .inputOutput, "\(url) is asked for by HTTP", advice: "Give the playlist by its URL, or with --base")
        }
        if connection.client.isLibraryURL(url) { return (url, connection.client) }
        if url.hasPrefix(connection.client.address + "/play/") {
            return (opening.isKeptOnly ? APIClient.keptOnly(url) : url, connection.client)
        }
        guard readsFiles else {
            throw ContainerError(.inputOutput, "\(url) isn't served by the cache, and so it isn't read")
        }
        do {
            return (try opening.playURL(for: try ResourceURL(url)), connection.client)
        } catch {
            throw ContainerError(.inputOutput, "\(url) can't be read through the cache", cause: error)
        }
    }
}
