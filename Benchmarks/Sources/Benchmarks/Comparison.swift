/// The figures of MediaCache and of a peer, measured in alternating rounds.
struct Comparison: Codable {
    /// The name of the measured quantity.
    var name: String
    /// The name of the peer.
    var peer: String
    /// The unit of the figures.
    var unit: String
    /// The figures of MediaCache, one per round.
    var ours: [Double] = []
    /// The figures of the peer, one per round.
    var theirs: [Double] = []

    init(_ name: String, peer: String, unit: String) {
        self.name = name
        self.peer = peer
        self.unit = unit
    }

    /// The ratios of MediaCache's figures to the peer's, sorted.
    var ratios: [Double] { zip(ours, theirs).map { $0 / $1 }.sorted() }

    /// Measures both in each round. The order alternates from round to round.
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
    /// The median; NaN for an empty array.
    var median: Double {
        guard !isEmpty else { return .nan }
        let sorted = sorted()
        let middle = count / 2
        return count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}

/// The figures of MediaCache without a peer.
struct Measurement: Codable {
    /// The name of the measured quantity.
    var name: String
    /// The unit of the figures.
    var unit: String
    /// The figures, one per round.
    var figures: [Double] = []

    init(_ name: String, unit: String, figures: [Double] = []) {
        self.name = name
        self.unit = unit
        self.figures = figures
    }
}
