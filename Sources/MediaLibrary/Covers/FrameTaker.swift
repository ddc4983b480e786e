/// Where in a film a picture is taken if nobody says.
public enum FrameTime {
    /// In seconds: past most black leaders.
    public static let usual = 10.0
}

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

extension FrameTaker {
    /// Takes a picture at the usual time, or, of a film that is shorter, its first.
    ///
    /// - Throws: as ``frame(of:at:)``.
    public func frame(of url: String) async throws -> Cover? {
        if let cover = try await frame(of: url, at: FrameTime.usual) { return cover }
        return try await frame(of: url, at: 0)
    }
}
