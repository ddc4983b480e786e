/// What applies to a run of segments: kept once, a pointer in each segment.
final class SegmentConditions: Sendable, Hashable {
    let keys: [EncryptionKey]
    let map: MediaInitializationSection?

    init(keys: [EncryptionKey], map: MediaInitializationSection?) {
        self.keys = keys
        self.map = map
    }

    static func == (left: SegmentConditions, right: SegmentConditions) -> Bool {
        left === right || left.keys == right.keys && left.map == right.map
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(keys)
        hasher.combine(map)
    }
}
