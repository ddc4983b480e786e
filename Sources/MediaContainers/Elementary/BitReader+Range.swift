extension BitReader {
    /// An unsigned Exp-Golomb code that must not exceed a limit of the standard.
    mutating func unsigned(_ name: StaticString, _ limit: Int) throws(ContainerError) -> Int {
        let value = Int(try unsignedExpGolomb())
        guard value <= limit else {
            throw ContainerError(.malformed, "\(name) is \(value), over \(limit)", at: offset)
        }
        return value
    }
}
