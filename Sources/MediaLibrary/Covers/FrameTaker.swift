/// Takes pictures out of films: what this library leaves to a decoder of the system's, or of another program.
public protocol FrameTaker: Sendable {
    /// Takes a picture.
    ///
    /// - Parameters:
    ///   - url: where the film is read: a play URL, or another that the decoder can open.
    ///   - time: the moment in seconds from its beginning; its end and after have no picture.
    /// - Returns: nil where the film has no picture at that moment.
    /// - Throws: `CancellationError`, and what keeps the decoder from working.
    func frame(of url: String, at time: Double) async throws -> Cover?
}
