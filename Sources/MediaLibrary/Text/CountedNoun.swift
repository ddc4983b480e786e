extension BinaryInteger {
    /// Returns the number with a noun: `1 part`, `2 parts`.
    package func counted(_ singular: String) -> String { counted(singular, plural: "\(singular)s") }

    /// Returns the number with a noun that has an irregular plural.
    package func counted(_ singular: String, plural: String) -> String { "\(self) \(self == 1 ? singular : plural)" }
}
