import MediaCacheAPI
import MediaContainers
import MediaLibrary

/// The resources of a film that the server in this process serves, and nothing elsewhere.
struct ServerResources: StreamResources {
    /// Where the server answers, without a slash at the end.
    let server: String
    let client: APIClient
    let control: WorkControl

    /// Returns the scheme and authority of a URL.
    static func server(of url: String) -> String {
        guard let start = url.firstRange(of: "://")?.upperBound else { return "" }
        return String(url[..<(url[start...].firstIndex(of: "/") ?? url.endIndex)])
    }

    /// Reads all of a small resource; see `StreamResources`.
    func contents(of url: String, limit: Int) throws(ContainerError) -> (bytes: [UInt8], location: String) {
        try check(url)
        do {
            return (try control.wait { try await client.media(at: url, limit: limit) }.bytes, url)
        } catch {
            throw ContainerError(.inputOutput, "the cache can't read it", cause: error)
        }
    }

    /// Opens a media segment; see `StreamResources`.
    func bytes(of url: String, range: Range<Int64>?) throws(ContainerError) -> ByteSlice<PlaySource> {
        try check(url)
        let source = try PlaySource(url, from: range?.lowerBound ?? 0, client: client, control: control)
        return try ByteSlice(source, range ?? 0..<source.length)
    }

    private func check(_ url: String) throws(ContainerError) {
        guard url.hasPrefix(server + "/") else {
            throw ContainerError(.inputOutput, "\(url) isn't served by the cache, and so it isn't read")
        }
    }
}
