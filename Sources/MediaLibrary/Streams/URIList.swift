/// Texts in order, in little memory: of each only what differs from the one before it. The URIs of a playlist have most
/// of their bytes in common.
struct URIList: Sendable {
    /// Every so many texts one stands in full, so that none is far from it.
    private static let interval = 16
    /// Lengths from this on take four more bytes.
    private static let escape = 255

    /// For each text: how many bytes it shares with the one before, how many follow, and these.
    private var bytes: [UInt8] = []
    /// Where every ``interval``th text is within `bytes`.
    private var places: [UInt32] = []
    private var last: [UInt8] = []
    private(set) var count = 0

    /// Makes room for so many bytes beforehand: growing by doubling would hold them twice.
    mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

    /// Adds a text; the caller bounds how much they are in all.
    ///
    /// - Returns: whether there was room: four gigabytes.
    mutating func append(_ text: String) -> Bool {
        guard let place = UInt32(exactly: bytes.count) else { return false }
        var text = text
        text.withUTF8 { utf8 in
            var shared = 0
            if count.isMultiple(of: Self.interval) {
                places.append(place)
            } else {
                shared = last.withUnsafeBufferPointer { Self.sharedLength($0, utf8) }
            }
            let rest = utf8[shared...]
            bytes.append(UInt8(shared))
            bytes.append(UInt8(min(rest.count, Self.escape)))
            if rest.count >= Self.escape {
                for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: rest.count >> shift)) }
            }
            bytes.append(contentsOf: rest)
            last.replaceSubrange(shared..., with: rest)
        }
        count += 1
        return true
    }

    /// The text at `index`.
    subscript(index: Int) -> String {
        bytes.withUnsafeBufferPointer { bytes in
            var text: [UInt8] = []
            var place = Int(places[index / Self.interval])
            for _ in 0...(index % Self.interval) {
                let shared = Int(bytes[place])
                var length = Int(bytes[place + 1])
                place += 2
                if length == Self.escape {
                    length = (0..<4).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
                    place += 4
                }
                text.replaceSubrange(shared..., with: bytes[place..<place + length])
                place += length
            }
            return String(decoding: text, as: UTF8.self)
        }
    }

    private static func sharedLength(_ first: UnsafeBufferPointer<UInt8>, _ second: UnsafeBufferPointer<UInt8>) -> Int {
        let most = min(first.count, second.count, 255)
        var index = 0
        while index < most, first[index] == second[index] { index += 1 }
        return index
    }
}
