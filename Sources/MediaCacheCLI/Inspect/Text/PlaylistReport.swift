import HLS

/// A playlist as text for people: what it is, what is in it, then what there is to say about it.
enum PlaylistReport {
    /// The whole page.
    static func text(_ inspection: Inspection) -> String {
        let sections: [String]
        switch inspection.parsed.playlist {
        case .media(let playlist):
            sections = [MediaPlaylistReport(playlist: playlist, inspection: inspection).text]
        case .multivariant(let playlist):
            sections = MultivariantPlaylistReport(playlist: playlist, inspection: inspection).sections
        }
        return (sections + [DiagnosticsReport.text(inspection)]).joined(separator: "\n\n")
    }

    /// A table of facts: those that are nil, since there is nothing to tell, are left out.
    static func facts(_ facts: KeyValuePairs<String, String?>) -> String {
        var table = Table([.init(""), .init("")])
        for (name, fact) in facts {
            if let fact { table.add([name, fact]) }
        }
        return table.rendered()
    }

    /// `1 variant stream`, `4 variant streams`; nil for none.
    static func count(_ number: Int, _ one: String, _ many: String) -> String? {
        number == 0 ? nil : "\(number) \(number == 1 ? one : many)"
    }

    /// Items separated by commas, of many the first few; nil for none.
    static func list(_ items: [String], most: Int = 6) -> String? {
        guard !items.isEmpty else { return nil }
        let shown = items.prefix(most).joined(separator: ", ")
        return items.count > most ? "\(shown) and \(items.count - most) more" : shown
    }

    /// The version that the playlist declares, and the one it needs if that is higher.
    static func version(_ declared: Int?, required: Int) -> String {
        let text = declared.map { "\($0)" } ?? "not declared"
        return required > declared ?? 1 ? "\(text), but needs \(required)" : text
    }

    /// Where to start playing; nil where the playlist doesn't say.
    static func start(_ start: StartPoint?) -> String? {
        guard let start else { return nil }
        let offset = start.timeOffset
        let (seconds, end) =
            offset < .zero
            ? (DecimalValue(nanoseconds: 0 &- offset.nanoseconds), "before the end") : (offset, "from the beginning")
        let place = "\(seconds) s \(end)"
        return start.isPrecise ? "\(place), to the sample" : place
    }

    /// Variables with their values; nil for none.
    static func variables(_ values: [String: String]) -> String? {
        list(values.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" })
    }

    /// Names and how often each stands there, with the line of the first: `EXT-X-FOO × 3 (from line 5)`.
    static func unknownTags(_ tags: [UnknownTag]) -> String? {
        var order: [String] = []
        var counts: [String: (count: Int, line: Int)] = [:]
        for tag in tags {
            if counts[tag.name] == nil { order.append(tag.name) }
            counts[tag.name, default: (0, tag.line)].count += 1
        }
        return list(
            order.map { name in
                let (count, line) = counts[name] ?? (0, 0)
                return count == 1 ? "\(name) (line \(line))" : "\(name) × \(count) (from line \(line))"
            })
    }
}
