import HLS

extension CommandFailure {
    /// Why the body of `name` gives no playlist: what it is, or the line and the rule that ends a strict reading.
    init(_ error: PlaylistError, of name: String) {
        switch error {
        case .notAPlaylist(let content):
            self.init(.failed, "\(name) isn't a playlist; it is \(content)")
            foundMedia = [.mp4, .transportStream, .packedAudio, .binary].contains(content)
        case .invalid(let diagnostic):
            let place = diagnostic.line > 0 ? "line \(diagnostic.line)" : "the playlist as a whole"
            self.init(.failed, "\(name): \(place): [\(diagnostic.rule)] \(diagnostic.message)")
        case .playlistTooLong, .lineTooLong, .tooManyTags, .notInflated:
            self.init(.failed, "\(name): \(error)")
        }
    }
}
