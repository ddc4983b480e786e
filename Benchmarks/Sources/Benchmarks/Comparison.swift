/// The figures of MediaCache and of a peer, measured in alternating rounds.
struct Comparison: Codable {
    /// The measured quantity.
    var name: String
    var peer: String
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

    /// The names and units of a rate and of the CPU time for it. The CPU time is that of the server or program, without
    /// the client and the origin.
    static func rateAndCPU(_ name: String) -> [(name: String, unit: String)] {
        [(name, "MB/s"), ("\(name), CPU per GiB (lower is better)", "s")]
    }

    /// The ratios of MediaCache's figures to the peer's, sorted.
    var ratios: [Double] { zip(ours, theirs).map { $0 / $1 }.sorted() }

    /// Measures both in each round. The order alternates from round to round.
    static func alternating(
        _ name: String, peer: String, unit: String, rounds: Int,
        ours: () async throws -> Double, theirs: () async throws -> Double
    ) async throws -> Comparison {
        try await alternating(
            [(name, unit)], peer: peer, rounds: rounds, ours: { [try await ours()] }, theirs: { [try await theirs()] })[
                0]
    }

    /// Measures several quantities of both in each round. The closures return one figure for each of `names`.
    static func alternating(
        _ names: [(name: String, unit: String)], peer: String, rounds: Int,
        ours: () async throws -> [Double], theirs: () async throws -> [Double]
    ) async throws -> [Comparison] {
        var comparisons = names.map { Comparison($0.name, peer: peer, unit: $0.unit) }
        for round in 0..<rounds {
            let isFirst = round.isMultiple(of: 2)
            let first = isFirst ? try await ours() : try await theirs()
            let second = isFirst ? try await theirs() : try await ours()
            for index in comparisons.indices {
                comparisons[index].ours.append(isFirst ? first[index] : second[index])
                comparisons[index].theirs.append(isFirst ? second[index] : first[index])
            }
        }
        return comparisons
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
    /// The measured quantity.
    var name: String
    var unit: String
    var figures: [Double] = []

    init(_ name: String, unit: String, figures: [Double] = []) {
        self.name = name
        self.unit = unit
        self.figures = figures
    }
}
