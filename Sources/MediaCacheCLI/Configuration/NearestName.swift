/// What somebody may have meant by a name that nothing has.
enum NearestName {
    /// The one of `names` that the fewest changes make of `name`; nil where that would be another word.
    static func nearest(to name: String, among names: [String]) -> String? {
        let written = Array(name.lowercased())
        let distances = names.map { (name: $0, distance: distance(written, Array($0.lowercased()))) }
        guard let nearest = distances.min(by: { $0.distance < $1.distance }) else { return nil }
        return nearest.distance <= max(2, written.count / 3) ? nearest.name : nil
    }

    /// That `name` is no setting, and which may have been meant.
    static func unknown(_ name: String, among names: [String]) -> ArgumentTextError {
        guard let nearest = nearest(to: name, among: names) else {
            return ArgumentTextError("“\(name)” is no setting; \(names.sorted().joined(separator: ", ")) are")
        }
        return ArgumentTextError("“\(name)” is no setting; did you mean “\(nearest)”?")
    }

    /// How many letters have to be put in, left out or replaced (Levenshtein).
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        guard left.count <= 64 else { return .max }
        var row = Array(0...right.count)
        for (line, letter) in left.enumerated() {
            var diagonal = row[0]
            row[0] = line + 1
            for (column, other) in right.enumerated() {
                let replaced = diagonal + (letter == other ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, row[column] + 1, row[column + 1] + 1)
            }
        }
        return row[right.count]
    }
}
