/// A parser with the properties that hold for each of its inputs.
struct FuzzTarget: Sendable {
    let name: String
    /// Returns the project's own inputs. libFuzzer begins with them and with small files of the corpora.
    let seeds: @Sendable () throws -> [[UInt8]]
    /// Returns a description of the first property that an input violates; nil if there is none.
    let check: @Sendable ([UInt8]) -> String?

    static let all = [playlist, multivariant, transportStream, packedAudio, movie, webVTT, head, ranges, encodings]
}

/// Returns `text` unless a condition holds.
func problem(_ text: @autoclosure () -> String, unless condition: Bool) -> String? { condition ? nil : text() }
