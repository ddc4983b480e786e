/// Notes of parts: what is said of many is said once, with their number.
struct NoteCounter: Sendable {
    /// How many that differ are kept.
    private static let most = 100

    private var counts: [String: (url: String, count: Int)] = [:]
    private var order: [String] = []

    /// Takes a note in.
    mutating func add(_ note: AssetContents.Note) {
        if counts[note.text] != nil {
            counts[note.text]?.count += 1
        } else if order.count < Self.most {
            order.append(note.text)
            counts[note.text] = (note.url, 1)
        }
    }

    /// What was noted.
    var notes: [AssetContents.Note] {
        order.compactMap { text in
            counts[text].map {
                .init(url: $0.url, text: $0.count > 1 ? "\(text) (and \($0.count - 1) more parts)" : text)
            }
        }
    }
}
