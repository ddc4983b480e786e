/// A parser with the properties that hold for each of its inputs.
struct FuzzTarget: Sendable {
    let name: String
    /// Returns valid inputs, from which libFuzzer begins if there are no corpora.
    let seeds: @Sendable () throws -> [[UInt8]]
    /// Returns a description of the first property that an input violates; nil if there is none.
    let check: @Sendable ([UInt8]) -> String?

    static let all = [playlist, multivariant, transportStream, packedAudio, movie, webVTT, head, ranges, encodings]
}

/// Returns `text` unless a condition holds.
func problem(_ text: @autoclosure () -> String, unless condition: Bool) -> String? { condition ? nil : text() }
