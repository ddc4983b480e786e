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
