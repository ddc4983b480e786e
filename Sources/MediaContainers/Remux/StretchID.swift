/// Names a stretch of one clock; stretches are played in the order of their names.
struct StretchID: Hashable, Comparable {
    /// How many announced discontinuities come before it.
    var number: Int
    /// How many clocks, since the last of them, were found that weren't announced.
    var clock = 0

    static func < (left: StretchID, right: StretchID) -> Bool {
        (left.number, left.clock) < (right.number, right.clock)
    }
}
