/// One thing measured of us and of a peer, in alternating rounds.
struct Comparison: Codable {
    /// What was measured.
    var name: String
    /// Whom we are compared with.
    var peer: String
    /// The unit of the figures.
    var unit: String
    /// Ours, one a round.
    var ours: [Double] = []
    /// The peer's, taken right after.
    var theirs: [Double] = []

    init(_ name: String, peer: String, unit: String) {
        self.name = name
        self.peer = peer
        self.unit = unit
    }

    /// Ours over theirs, round by round, in order of size.
    var ratios: [Double] { zip(ours, theirs).map { $0 / $1 }.sorted() }

    /// Measures `rounds` times, in turn; which of the two comes first changes each round.
    static func alternating(
        _ name: String,
        peer: String,
        unit: String,
        rounds: Int,
        ours: () async throws -> Double,
        theirs: () async throws -> Double
    ) async throws -> Comparison {
        var comparison = Comparison(name, peer: peer, unit: unit)
        for round in 0..<rounds {
            if round.isMultiple(of: 2) {
                comparison.ours.append(try await ours())
                comparison.theirs.append(try await theirs())
            } else {
                comparison.theirs.append(try await theirs())
                comparison.ours.append(try await ours())
            }
        }
        return comparison
    }
}

extension [Double] {
    /// The middle one; of an even count, the mean of the two in the middle.
    var median: Double {
        guard !isEmpty else { return .nan }
        let sorted = sorted()
        let middle = count / 2
        return count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}
