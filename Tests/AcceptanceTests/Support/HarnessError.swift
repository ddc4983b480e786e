/// What keeps a test from running, as opposed to what it found.
struct HarnessError: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}
