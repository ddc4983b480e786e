internal import Foundation
internal import MediaContainers

/// The input of a decoder that extracts a frame in a process without access to the network and the cache: a short clip
/// with the necessary frames, or the whole file if this library can't extract a clip from it.
package enum FrameSource {
    /// The clip that was written. It starts with the frame.
    case clip
    /// The path of a local file that the user specified.
    case file(String)
    /// The bytes of a whole media file that has no local path.
    case bytes(MediaByteReader)

    /// Prepares the input for a frame of a media file or playlist, at a time in seconds from the beginning of the
    /// media. Returns nil if there is no frame at that time or later.
    package static func make(
        of input: MediaInput, at time: Double, writingClipTo clip: String, gateway: (any MediaGateway)?,
        _ control: OperationControl
    ) throws -> FrameSource? {
        let resources = InputResources(of: [input], gateway: gateway, control: control)
        // A decoder may have another working directory, so it needs an absolute path.
        var path: String?
        if case .file(let name) = input { path = URL(fileURLWithPath: name).path(percentEncoded: false) }
        let url = try resources.url(of: input)
        do {
            return try make(of: url, path: path, at: time, clip: clip, resources)
        } catch {
            throw MediaJobError(error, of: input.name)
        }
    }

    /// Prepares the input for a frame of media at the URL at which a gateway serves it.
    package static func make(
        ofServed url: String, at time: Double, writingClipTo clip: String, gateway: any MediaGateway,
        _ control: OperationControl
    ) throws -> FrameSource? {
        let resources = InputResources(gateway: gateway, control: control, allowsFiles: false)
        do {
            return try make(of: url, path: nil, at: time, clip: clip, resources)
        } catch {
            throw MediaJobError(error, of: "the media")
        }
    }

    private static func make(
        of url: String, path: String?, at time: Double, clip: String, _ resources: InputResources
    ) throws(ContainerError) -> FrameSource? {
        func whole() throws(ContainerError) -> FrameSource {
            if let path { return .file(path) }
            return .bytes(MediaByteReader(try resources.bytes(of: url, range: nil)))
        }
        let source: MovieSource<InputResources.Bytes>
        do throws(ContainerError) {
            source = try MovieSource(of: url, resources: resources)
        } catch {
            guard error.code == .notThisFormat else { throw error }
            return try whole()
        }
        let file = try FileSink(path: clip)
        do throws(ContainerError) {
            switch source {
            case .playlist(let plan):
                return try FrameClip.write(plan, from: resources, at: time, to: file) ? .clip : nil
            case .file(.mp4, let bytes):
                return try FrameClip.write(try MP4Reader(bytes), at: time, to: file) ? .clip : nil
            case .file:
                let plan = StreamPlan(inputs: [[StreamPart(url: url)]])
                return try FrameClip.write(plan, from: resources, at: time, to: file) ? .clip : nil
            }
        } catch {
            // The decoder may support more codecs, and tolerate more damage, than this library.
            guard case .file = source, ![.inputOutput, .encrypted].contains(error.code) else { throw error }
            return try whole()
        }
    }
}

extension Cover {
    /// Reads the cover in the metadata of an input.
    ///
    /// - Parameter gateway: The cache through which a URL is read; nil for a file.
    /// - Returns: Nil if the metadata contains no image.
    /// - Throws: ``MediaJobError``, errors of the gateway, `CancellationError`.
    public static func embedded(in input: MediaInput, gateway: (any MediaGateway)?) async throws -> Cover? {
        try await MediaJob.run(on: input.name) { control in
            try embedded(in: try InputResources(of: [input], gateway: gateway, control: control).bytes(of: input))
        }
    }
}
