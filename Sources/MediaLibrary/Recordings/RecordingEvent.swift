public import Foundation

/// What happens to recordings.
public enum RecordingEvent: Sendable, Hashable {
    /// A channel's state has changed.
    case state(ChannelName, RecordingState)
    /// A segment is kept, from the first byte to the last.
    case segment(ChannelName, track: String, start: Date, duration: Double, bytes: Int64)
    /// Something was lost, or never was.
    case gap(ChannelName, track: String, start: Date, duration: Double, reason: String)
    /// Segments were given up to keep within a limit.
    case pruned(ChannelName, segments: Int, bytes: Int64)
    /// An export of a programme, which the ID names, stands elsewhere now; while it runs, a few times a second at most.
    case export(ChannelName, programme: String, ProgrammeExport)
    /// A channel was deleted.
    case removed(ChannelName)
    /// So many events were dropped, since nobody took them.
    case dropped(count: Int)
}
