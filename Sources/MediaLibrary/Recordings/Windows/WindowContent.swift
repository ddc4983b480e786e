internal import HLS
internal import MediaContainers

/// The position of a window in the segments of its playlists, and the gaps in it.
public struct WindowContent: Sendable {
    /// The range of the window, in seconds from the start of the first segment.
    public var clip: ClipRange
    /// The segments that weren't recorded.
    public var gaps: [RemuxResult.Missing]

    /// Reads the playlists of a window.
    ///
    /// - Parameters:
    ///   - url: The URL of the window's multivariant playlist.
    ///   - span: The window in nanoseconds since 1970.
    ///   - choice: The variant stream and renditions of the export.
    ///   - gateway: The cache that serves the playlists.
    /// - Returns: Nil if the variant stream's playlist has no dates, as when no part of the window is recorded.
    /// - Throws: Errors of the gateway, such as for a window outside the recording; ``MediaJobError``.
    public static func read(
        _ url: String, span: Range<Int64>, choice: StreamChoice, gateway: any MediaGateway
    ) async throws -> WindowContent? {
        try await MediaJob.run(on: url) { control in
            let resources = InputResources(gateway: gateway, control: control, allowsFiles: false)
            guard case .multivariant = try playlist(at: url, resources) else {
                throw MediaJobError(.failed, "\(url) isn't the multivariant playlist of a channel")
            }
            let plan = try StreamPlan(playlist: url, choice: choice, resources: resources)
            let playlists = try plan.locations.compactMap { location -> MediaPlaylist? in
                guard case .media(let media) = try playlist(at: location, resources) else { return nil }
                return media
            }
            guard let position = WindowPosition(of: playlists, from: span.lowerBound, to: span.upperBound) else {
                return nil
            }
            return WindowContent(
                clip: ClipRange(start: position.from, end: position.to),
                gaps: position.gaps.map { gap in
                    RemuxResult.Missing(
                        name: MomentText.exact(gap.wall / 1_000_000), start: gap.start, duration: gap.duration)
                })
        }
    }

    private static func playlist(at url: String, _ resources: InputResources) throws -> Playlist {
        do throws(ContainerError) {
            let (bytes, location) = try resources.contents(of: url, limit: PlaylistParser.Limits().playlistLength)
            guard let parsed = try? PlaylistParser(context: PlaylistContext(playlistURL: location)).parse(bytes) else {
                throw ContainerError(.malformed, "\(url) can't be parsed as a playlist")
            }
            return parsed.playlist
        } catch {
            // The underlying error describes the cause, such as the server's message.
            throw error.cause ?? error
        }
    }

    /// Returns the start of a window. A relative start before the first recorded range is moved to the start of that
    /// range, unless the window ends before it. Other starts aren't changed, so that the server can report which ranges
    /// are recorded.
    ///
    /// - Parameters:
    ///   - start: The requested start in nanoseconds since 1970; nil for the start of the recording.
    ///   - isRelative: Whether the start was requested as a number of seconds ago.
    ///   - end: The requested end in nanoseconds since 1970; nil for the live edge.
    ///   - recorded: The recorded ranges in milliseconds since 1970, in order; not empty.
    package static func start(
        _ start: Int64?, isRelative: Bool, end: Int64?, recorded: [Range<Int64>]
    ) -> Int64 {
        guard let start else { return (recorded.first?.lowerBound ?? 0) * 1_000_000 }
        // A later start in a gap isn't moved, so that the gap is reported.
        guard isRelative, let first = recorded.first?.lowerBound, first * 1_000_000 > start,
            end.map({ first * 1_000_000 < $0 }) ?? true
        else { return start }
        return first * 1_000_000
    }
}
