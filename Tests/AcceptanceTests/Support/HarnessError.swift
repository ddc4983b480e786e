/// An error of the test's environment, as opposed to a failed expectation.
struct HarnessError: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}
