/// One thing measured of us alone, once a round.
struct Measurement: Codable {
    /// What was measured.
    var name: String
    /// The unit of the figures.
    var unit: String
    /// The figures.
    var figures: [Double] = []

    init(_ name: String, unit: String, figures: [Double] = []) {
        self.name = name
        self.unit = unit
        self.figures = figures
    }
}
