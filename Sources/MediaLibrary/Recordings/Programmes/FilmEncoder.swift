/// Encodes films anew for players that can't play them as they are: what this library leaves to an encoder of the
/// system's, or of another program.
public protocol FilmEncoder: Sendable {
    /// Encodes a film as 3GP (H.264 and AAC).
    ///
    /// - Parameters:
    ///   - film: the path of an MP4.
    ///   - output: the path of the file to make; one that is there is replaced.
    ///   - seconds: how long the film lasts.
    ///   - onProgress: gets how much of it is done, from 0 to 1, now and then.
    /// - Throws: `CancellationError`, also where somebody else has ended it and it may be tried again; what keeps it from being encoded, whose description a person is told.
    func encode(
        _ film: String, asThreeGP output: String, lasting seconds: Double,
        onProgress: @escaping @Sendable (Double) -> Void
    ) async throws
}
