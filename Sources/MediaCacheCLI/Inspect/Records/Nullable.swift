/// A value that is written as null where it's absent, so that every key of an object is always there.
@propertyWrapper
struct Nullable<Value: Encodable & Sendable>: Encodable, Sendable {
    /// The value; nil is null.
    var wrappedValue: Value?

    /// A value, or null.
    init(wrappedValue: Value?) {
        self.wrappedValue = wrappedValue
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let wrappedValue {
            try container.encode(wrappedValue)
        } else {
            try container.encodeNil()
        }
    }
}
