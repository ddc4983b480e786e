/// The place on a stream's timeline at which its presentation begins: the first part that gave anything.
package final class PresentationStart {
    /// Seconds from the stream's beginning; nil before a part was read.
    package internal(set) var seconds: Double?

    init() {}
}
