internal import MediaCache

/// What every recording works with.
struct RecordingWork: Sendable {
    let store: CacheStore
    /// Where media and timelines lie.
    let place: any RecordingStore
    let loader: PlaylistLoader
    let events: EventHub<RecordingEvent>
    /// How an origin is asked for a URL, in somebody's name, with header fields of the channel's own.
    let settings: Downloads.SettingsSource
    /// Writes what is known of a channel. Returns when it's durable.
    let keep: @Sendable (Channel) async throws -> Void
    /// What makes files of programmes that are over.
    let exports: ProgrammeExports
    /// Called once, when a recording has ended.
    let ended: @Sendable (Recording) async -> Void
}
