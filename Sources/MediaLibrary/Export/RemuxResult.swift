internal import MediaContainers

/// The result of a ``RemuxJob``.
public struct RemuxResult: Encodable, Sendable {
    /// A segment that is missing or damaged, and became a gap completely or partially.
    public struct Missing: Encodable, Sendable {
        /// The last component of the segment's path.
        public var name: String
        /// The start in seconds from the beginning of the stream.
        public var start: Double
        /// The duration in seconds.
        public var duration: Double
        /// A description of the damage; nil if the segment is missing.
        public var reason: String?

        /// Creates a description of a missing segment.
        public init(name: String, start: Double, duration: Double) {
            (self.name, self.start, self.duration) = (name, start, duration)
        }

        init(_ part: StreamPart, reason: String? = nil) {
            self.init(name: part.name, start: part.start, duration: part.duration)
            self.reason = reason
        }
    }

    /// Damage within segments, such as missing or unreadable packets.
    public struct Damage: Encodable, Sendable {
        /// The number of damaged places.
        public var places: Int
        /// The approximate time of the first one, in seconds from the beginning of the input, or of the joined inputs.
        public var first: Double
        /// The number of places by kind of damage.
        public var kinds: [String: Int]

        /// Creates a record.
        public init(places: Int, first: Double, kinds: [String: Int]) {
            (self.places, self.first, self.kinds) = (places, first, kinds)
        }

        init?(_ damage: RemuxDamage) {
            guard let first = damage.first else { return nil }
            places = damage.places
            self.first = first
            kinds = Dictionary(uniqueKeysWithValues: damage.kinds.map { ($0.key.rawValue, $0.value) })
        }
    }

    /// The URLs and paths of the inputs.
    public var inputs: [String]
    /// The path of the output.
    public var output: String
    /// The size of the output in bytes.
    public package(set) var size: Int64 = 0
    /// The duration of the output in seconds; nil if unknown.
    public internal(set) var duration: Double?
    package var tracks: [ContainerTrackRecord] = []
    /// The paths of the subtitle files.
    public internal(set) var subtitles: [String] = []
    /// The tracks and subtitles that the output doesn't contain, with reasons.
    public internal(set) var omitted: [String] = []
    /// The video and audio tracks in ``omitted``.
    public private(set) var lostTracks: [String] = []
    /// The segments that became gaps completely or partially.
    public var missing: [Missing] = []
    /// The damage within segments; nil if there is none.
    public var damage: Damage?

    private enum CodingKeys: String, CodingKey {
        case inputs, output, size, duration, tracks, subtitles, omitted, missing, damage
    }

    package init(inputs: [String], output: String) {
        self.inputs = inputs
        self.output = output
    }

    /// Encodes the result. Every key is present; the duration and the damage may be null.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(inputs, forKey: .inputs)
        try container.encode(output, forKey: .output)
        try container.encode(size, forKey: .size)
        try container.encode(duration, forKey: .duration)
        try container.encode(tracks, forKey: .tracks)
        try container.encode(subtitles, forKey: .subtitles)
        try container.encode(omitted, forKey: .omitted)
        try container.encode(missing, forKey: .missing)
        try container.encode(damage, forKey: .damage)
    }

    mutating func omit(_ track: MediaTrack, _ reason: String) {
        let text = "\(track.kind.rawValue) track \(track.id): \(reason)"
        omitted.append(text)
        if track.kind == .video || track.kind == .audio { lostTracks.append(text) }
    }

    package mutating func inspect(_ path: String, _ control: OperationControl) throws {
        guard let contents = try ContainerContents(try InputBytes(path: path, control: control)) else { return }
        let record = ContainerRecord(try ContainerInspection(contents, name: path))
        size = record.size
        duration = record.duration
        tracks = record.tracks
    }
}
