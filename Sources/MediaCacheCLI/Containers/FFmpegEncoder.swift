import MediaLibrary

/// Programmes as 3GP by ffmpeg, for the server.
struct FFmpegEncoder: FilmEncoder {
    /// Encodes a film; see `FilmEncoder`.
    func encode(
        _ film: String, asThreeGP output: String, lasting seconds: Double,
        onProgress: @escaping @Sendable (Double) -> Void
    ) async throws {
        let ffmpeg = try FFmpeg(for: "the programme has to be encoded")
        try await ffmpeg.encode(
            film, as: .threeGP, to: output, called: "the programme", lasting: seconds, onProgress: onProgress)
    }
}
