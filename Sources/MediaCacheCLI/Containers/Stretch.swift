/// A stretch of a film, in seconds from its beginning.
struct Stretch: Sendable, Hashable {
    /// Where it begins; nil is the beginning.
    var from: Double?
    /// Where it ends; nil is the end.
    var to: Double?

    /// Whether it's all of the film.
    var isWhole: Bool { (from ?? 0) <= 0 && to == nil }
}
