/// Times at which frames are extracted.
public enum FrameTime {
    /// The default time in seconds, after the black frames with which many films begin.
    public static let usual = 10.0
}

/// An extractor of video frames, implemented by a system decoder or another program.
public protocol FrameExtractor: Sendable {
    /// Extracts a frame.
    ///
    /// - Parameters:
    ///   - url: The URL of the media: a play URL, or any other URL that the decoder can open.
    ///   - time: The time in seconds from the beginning of the media.
    /// - Returns: Nil if the media is shorter than `time`, or has no video.
    /// - Throws: `CancellationError`, and errors of the decoder.
    func frame(of url: String, at time: Double) async throws -> Cover?
}

extension FrameExtractor {
    /// Extracts the frame at the default time, or the first frame if the media is shorter; see ``frame(of:at:)``.
    public func frame(of url: String) async throws -> Cover? {
        if let cover = try await frame(of: url, at: FrameTime.usual) { return cover }
        return try await frame(of: url, at: 0)
    }
}
