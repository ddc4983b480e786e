/// Times at which pictures are extracted from films.
public enum FrameTime {
    /// The default time in seconds, which is after most black leaders.
    public static let usual = 10.0
}

/// An extractor of pictures from films, implemented by a system decoder or another program.
public protocol FrameExtractor: Sendable {
    /// Extracts a picture.
    ///
    /// - Parameters:
    ///   - url: The URL of the film: a play URL, or another one that the decoder can open.
    ///   - time: The time in seconds from the beginning of the film.
    /// - Returns: Nil if the film has no picture at that time, because it's shorter.
    /// - Throws: `CancellationError`, and errors of the decoder.
    func frame(of url: String, at time: Double) async throws -> Cover?
}

extension FrameExtractor {
    /// Extracts a picture at the default time, or the first picture of a shorter film.
    ///
    /// - Throws: The errors of ``frame(of:at:)``.
    public func frame(of url: String) async throws -> Cover? {
        if let cover = try await frame(of: url, at: FrameTime.usual) { return cover }
        return try await frame(of: url, at: 0)
    }
}
