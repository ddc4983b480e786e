/// What came of a part.
package struct FetchedPart: Sendable, Hashable {
    /// How many bytes it has.
    package var length: Int64
    /// Whether its origin has put something around it.
    package var isWrapped: Bool
    /// How many bytes at its front hold its first picture, where that can be decoded by itself; else 0.
    package var firstPicture: Int64 = 0
}
