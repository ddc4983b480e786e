/// A bound for the median of a comparison: a row of the table of goals.
enum Goal {
    /// The smallest ratio of MediaCache's figure to the peer's.
    case ratio(atLeast: Double)
    /// The largest figure of MediaCache, in the unit of the comparison.
    case figure(atMost: Double)
    /// The largest difference between MediaCache's figure and the peer's, in the unit of the comparison.
    case added(atMost: Double)

    /// Returns the figures that the goal limits, sorted.
    func figures(_ comparison: Comparison) -> [Double] {
        switch self {
        case .ratio: comparison.ratios
        case .figure: comparison.ours.sorted()
        case .added: zip(comparison.ours, comparison.theirs).map { $0 - $1 }.sorted()
        }
    }

    func isMet(by comparison: Comparison) -> Bool {
        let median = figures(comparison).median
        return switch self {
        case .ratio(let bound): median >= bound
        case .figure(let bound), .added(let bound): median <= bound
        }
    }

    private var bound: Double {
        switch self {
        case .ratio(let bound), .figure(let bound), .added(let bound): bound
        }
    }

    /// Returns the name of the row.
    func work(_ comparison: Comparison) -> String {
        if case .added = self { "\(comparison.name), added" } else { comparison.name }
    }

    /// Returns the unit of the figures. A ratio has none.
    func unit(of comparison: Comparison) -> String {
        if case .ratio = self { "" } else { " \(comparison.unit)" }
    }

    var text: String {
        switch self {
        case .ratio: "≥ \(bound)"
        case .figure, .added: "≤ \(bound)"
        }
    }
}
