internal import MediaContainers

/// An inspector of media files and URLs.
///
/// ```swift
/// let inspector = MediaInspector(gateway: nil)
/// let container = try await inspector.container(.file("film.mp4"))
/// print(container?.duration ?? 0)
/// ```
public struct MediaInspector: Sendable {
    private let gateway: (any MediaGateway)?

    /// Creates an inspector.
    ///
    /// - Parameter gateway: The cache through which URLs are read; nil if all inputs are files.
    public init(gateway: (any MediaGateway)?) { self.gateway = gateway }

    /// Inspects a container: MP4, an MPEG transport stream, or packed audio.
    ///
    /// - Parameters:
    ///   - input: The container. Only the index of an MP4 is read; other formats are read completely.
    ///   - initialization: The media initialization section of a segment of fragmented MP4.
    /// - Returns: Nil if the content isn't a supported container, or if a local file can't be read.
    /// - Throws: ``MediaJobError``, errors of the gateway, `CancellationError`.
    public func container(_ input: MediaInput, initialization: MediaInput? = nil) async throws -> ContainerInspection? {
        try await run(input, initialization) { try ContainerInspection($0, name: input.name) }
    }

    /// Lists the samples of a container as CSV: track, pts, dts, duration, size, sync, crc32.
    ///
    /// - Parameters:
    ///   - input: The container, which is read completely.
    ///   - write: A function that receives whole lines. If the container is damaged, it receives the lines up to the
    ///     damage before the error is thrown.
    /// - Returns: Whether the input is a supported container and, if it's a local file, can be read.
    /// - Throws: The errors of ``container(_:initialization:)`` and of `write`.
    public func packets(
        of input: MediaInput, initialization: MediaInput? = nil, write: @escaping @Sendable (String) throws -> Void
    ) async throws -> Bool {
        let written: Void? = try await run(input, initialization) { contents in
            var writer = PacketWriter(write: write)
            do {
                try contents.deliver(to: &writer)
            } catch {
                try writer.flush()
                throw error
            }
            try writer.flush()
        }
        return written != nil
    }

    private func run<Result: Sendable>(
        _ input: MediaInput, _ initialization: MediaInput?,
        _ body: @escaping @Sendable (ContainerContents<InputBytes>) throws -> Result
    ) async throws -> Result? {
        try await MediaJob.run(on: input.name) { [gateway] control in
            let inputs = [input, initialization].compactMap(\.self)
            let resources = InputResources(of: inputs, gateway: gateway, control: control)
            // A file that doesn't support random access may still be a playlist.
            guard let bytes = input.isURL ? try resources.bytes(of: input) : try? resources.bytes(of: input) else {
                return nil
            }
            let movie = try initialization.map { try MP4Reader(try resources.bytes(of: $0)).movie }
            return try ContainerContents(bytes, initialization: movie).map(body)
        }
    }
}
