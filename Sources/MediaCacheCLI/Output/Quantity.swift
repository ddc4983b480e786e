extension BinaryInteger {
    /// So many of something in words: `1 part`, `2 parts`.
    func counted(_ one: String) -> String { "\(self) \(one)\(self == 1 ? "" : "s")" }
}
