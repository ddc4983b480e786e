/// An encoder of films for players that can't play the original, implemented by a system encoder or another program.
public protocol FilmEncoder: Sendable {
    /// Encodes a film as 3GP (H.264 and AAC).
    ///
    /// - Parameters:
    ///   - film: The path of an MP4.
    ///   - output: The path of the output file; an existing file is replaced.
    ///   - seconds: The duration of the film in seconds.
    ///   - onProgress: Called with the progress from 0 to 1.
    /// - Throws: `CancellationError`, also if an outside cause ended the encoder and another attempt may succeed; other
    ///   errors, whose descriptions are shown to users.
    func encode(
        _ film: String, asThreeGP output: String, lasting seconds: Double,
        onProgress: @escaping @Sendable (Double) -> Void
    ) async throws
}
