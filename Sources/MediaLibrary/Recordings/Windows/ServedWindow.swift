/// A window of a track as it's served at a moment.
struct ServedWindow: Hashable {
    /// When it begins: a segment that is under way then belongs to it. Nanoseconds since 1970, as ``to``.
    var from: Int64
    /// A segment that begins then doesn't belong to it.
    var to: Int64
    /// The moment where playing is to begin; nil of a window that slides, which leaves that to the player.
    var begins: Int64?
    /// Whether nothing will be added.
    var isOver: Bool
    /// Whether nothing of it is ever given up while it grows.
    var keepsAll = false
    /// Whether what isn't over at its end doesn't belong to it.
    var isDelayed = false
}
