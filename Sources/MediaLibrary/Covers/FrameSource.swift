internal import Foundation
internal import MediaContainers

/// The data from which a decoder takes a frame of a film.
///
/// A decoder never reads a film where it is. It receives a small file with the pictures that the moment needs, the
/// bytes of a film in another format, or a local file that the user named.
package enum FrameSource {
    /// The clip that was written. Its first picture is the frame.
    case clip
    /// A file of the user, by its path.
    case file(String)
    /// The bytes of the film.
    case bytes(MediaByteReader)

    /// Prepares the data for a frame.
    ///
    /// - Parameters:
    ///   - input: The film: a file or a playlist.
    ///   - time: The time of the frame, in seconds from the beginning of the film.
    ///   - clip: The path of the clip to write.
    ///   - gateway: The cache that a URL is read through.
    /// - Returns: nil if the film has no picture at that time.
    /// - Throws: ``MediaJobError``, errors of the gateway.
    package static func make(
        of input: MediaInput, at time: Double, writingClipTo clip: String, gateway: (any MediaGateway)?,
        _ control: WorkControl
    ) throws -> FrameSource? {
        let resources = InputResources(of: [input], gateway: gateway, control: control)
        // Decoders run in a working directory of their own.
        var path: String?
        if case .file(let name) = input { path = URL(fileURLWithPath: name).path(percentEncoded: false) }
        let url = try resources.url(of: input)
        do {
            return try make(of: url, path: path, at: time, clip: clip, resources)
        } catch {
            throw MediaJobError(error, of: input.name)
        }
    }

    /// Prepares the data for a frame of a film that a gateway serves; see ``make(of:at:writingClipTo:gateway:_:)``.
    ///
    /// - Parameter url: The URL at which the gateway serves the film.
    package static func make(
        ofServed url: String, at time: Double, writingClipTo clip: String, gateway: any MediaGateway,
        _ control: WorkControl
    ) throws -> FrameSource? {
        let resources = InputResources(gateway: gateway, control: control, allowsFiles: false)
        do {
            return try make(of: url, path: nil, at: time, clip: clip, resources)
        } catch {
            throw MediaJobError(error, of: "the film")
        }
    }

    private static func make(
        of url: String, path: String?, at time: Double, clip: String, _ resources: InputResources
    ) throws(ContainerError) -> FrameSource? {
        func whole() throws(ContainerError) -> FrameSource {
            if let path { return .file(path) }
            return .bytes(MediaByteReader(try resources.bytes(of: url, range: nil)))
        }
        let film: MovieSource<InputResources.Bytes>
        do throws(ContainerError) {
            film = try MovieSource(of: url, resources: resources)
        } catch {
            guard error.code == .notThisFormat else { throw error }
            return try whole()
        }
        let file = try FileSink(path: clip)
        do throws(ContainerError) {
            switch film {
            case .playlist(let plan):
                return try FrameClip.write(plan, from: resources, at: time, to: file) ? .clip : nil
            case .file(.mp4, let bytes):
                return try FrameClip.write(try MP4Reader(bytes), at: time, to: file) ? .clip : nil
            case .file:
                let plan = StreamPlan(inputs: [[StreamPart(url: url)]])
                return try FrameClip.write(plan, from: resources, at: time, to: file) ? .clip : nil
            }
        } catch {
            // The decoder may support more codecs and tolerate more damage.
            guard case .file = film, ![.inputOutput, .encrypted].contains(error.code) else { throw error }
            return try whole()
        }
    }
}

extension Cover {
    /// Reads the picture in the metadata of an input.
    ///
    /// - Parameters:
    ///   - input: A media file with metadata.
    ///   - gateway: The cache that a URL is read through; nil for a file.
    /// - Returns: nil without a picture.
    /// - Throws: ``MediaJobError``, errors of the gateway, `CancellationError`.
    public static func embedded(in input: MediaInput, gateway: (any MediaGateway)?) async throws -> Cover? {
        try await MediaJob.run(on: input.name) { control in
            try embedded(in: try InputResources(of: [input], gateway: gateway, control: control).bytes(of: input))
        }
    }
}
