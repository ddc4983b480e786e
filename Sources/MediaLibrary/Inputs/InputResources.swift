internal import Foundation
internal import MediaCache
package import MediaContainers

/// The resources of the inputs of a job: files, and URLs that are read through a cache.
package struct InputResources: StreamResources, Sendable {
    /// The cache; nil if the job reads only files.
    package var gateway: (any MediaGateway)?
    package var control: OperationControl
    package var progress: ReadProgress?
    /// Whether references may lead to local files, and to URLs that the cache doesn't serve yet.
    ///
    /// A playlist read through the cache may only refer to URLs that the cache serves, because the cache has checked
    /// their addresses.
    package var allowsFiles: Bool

    package init(
        of inputs: [MediaInput], gateway: (any MediaGateway)?, control: OperationControl, progress: ReadProgress? = nil
    ) {
        self.init(gateway: gateway, control: control, progress: progress, allowsFiles: !inputs.allSatisfy(\.isURL))
    }

    package init(
        gateway: (any MediaGateway)?, control: OperationControl, progress: ReadProgress? = nil, allowsFiles: Bool
    ) {
        self.gateway = gateway
        self.control = control
        self.progress = progress
        self.allowsFiles = allowsFiles
    }

    /// Returns the base URL for references in an input: a file URL, or the URL at which the cache serves the input.
    package func url(of input: MediaInput) throws -> String {
        switch input {
        case .url(let url): try servedURL(for: url)
        case .file(let path): URL(fileURLWithPath: path).absoluteString
        }
    }

    /// Opens an input. Throws `ContainerError` for a file, ``MediaJobError`` for a URL that can't be read, and errors
    /// of the gateway.
    package func bytes(of input: MediaInput) throws -> InputBytes {
        switch input {
        case .file(let path): return try InputBytes(path: path, control: control, progress: progress)
        case .url(let url):
            let served = try servedURL(for: url)
            guard let gateway else { throw Self.noGateway(url) }
            do {
                return .resource(try GatewaySource(served, gateway: gateway, control: control, progress: progress))
            } catch {
                throw MediaJobError(error, of: "\(url)")
            }
        }
    }

    private func servedURL(for url: ResourceURL) throws -> String {
        guard let gateway else { throw Self.noGateway(url) }
        if let known = gateway.servedURL(known: "\(url)") { return known }
        return try control.wait { try await gateway.servedURL(for: url) }
    }

    package func contents(of url: String, limit: Int) throws(ContainerError) -> (bytes: [UInt8], location: String) {
        if let path = path(of: url) {
            let source = try InputBytes(path: path, control: control)
            return (try source.bytes(0..<source.length, limit: limit), url)
        }
        let (served, gateway) = try servedURL(of: url)
        do {
            return (try control.wait { try await gateway.read(served, range: nil, limit: limit) }.bytes, served)
        } catch {
            throw ContainerError(.inputOutput, "\(url) can't be read through the cache", cause: error)
        }
    }

    package func bytes(of url: String, range: Range<Int64>?) throws(ContainerError) -> ByteSlice<InputBytes> {
        let source: InputBytes
        if let path = path(of: url) {
            source = try InputBytes(path: path, control: control, progress: progress)
        } else {
            let (served, gateway) = try servedURL(of: url)
            source = .resource(
                try GatewaySource(
                    served, from: range?.lowerBound ?? 0, gateway: gateway, control: control, progress: progress))
        }
        return try ByteSlice(source, range ?? 0..<source.length)
    }

    /// Returns the path of a file URL; nil for other URLs, or if files aren't allowed.
    private func path(of url: String) -> String? {
        guard allowsFiles, url.hasPrefix("file:") else { return nil }
        return URL(string: url)?.path(percentEncoded: false)
    }

    private func servedURL(of url: String) throws(ContainerError) -> (String, any MediaGateway) {
        guard let gateway else {
            throw ContainerError(
                .inputOutput, "\(url) can't be read without a cache",
                advice: "Specify the playlist by its URL, or a base URL")
        }
        if let known = gateway.servedURL(known: url) { return (known, gateway) }
        guard allowsFiles else {
            throw ContainerError(.inputOutput, "\(url) can't be read because the cache doesn't serve it")
        }
        do {
            return (try servedURL(for: try ResourceURL(url)), gateway)
        } catch {
            throw ContainerError(.inputOutput, "\(url) can't be read through the cache", cause: error)
        }
    }

    private static func noGateway(_ url: ResourceURL) -> MediaJobError {
        MediaJobError(.failed, "\(url) can't be read because no cache is open")
    }
}
