/// A value that many segments have in common, kept once: a pointer in each segment instead of a copy.
final class Shared<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
