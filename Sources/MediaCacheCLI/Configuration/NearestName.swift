/// Suggestions for misspelled names.
enum NearestName {
    /// Returns the name with the smallest edit distance; nil if the distance is too large.
    static func nearest(to name: String, among names: [String]) -> String? {
        let characters = Array(name.lowercased())
        let distances = names.map { (name: $0, distance: distance(characters, Array($0.lowercased()))) }
        guard let nearest = distances.min(by: { $0.distance < $1.distance }) else { return nil }
        return nearest.distance <= max(2, characters.count / 3) ? nearest.name : nil
    }

    static func unknown(_ name: String, among names: [String]) -> ArgumentTextError {
        guard let nearest = nearest(to: name, among: names) else {
            return ArgumentTextError(
                "“\(name)” is not a setting; the settings are \(names.sorted().joined(separator: ", "))")
        }
        return ArgumentTextError("“\(name)” is not a setting; did you mean “\(nearest)”?")
    }

    /// Returns the Levenshtein distance.
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
