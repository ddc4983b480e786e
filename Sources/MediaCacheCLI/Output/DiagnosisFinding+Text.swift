import MediaLibrary

extension DiagnosisFinding {
    func text(style: TextStyle) -> String {
        let (word, color): (String, TextStyle.Color) =
            switch outcome {
            case .ok: ("ok", .green)
            case .warning: ("warning", .yellow)
            case .failure: ("failure", .red)
            }
        let width = 18
        let name = check + String(repeating: " ", count: max(0, width - check.count))
        let margin = String(repeating: " ", count: 8 - word.count)
        let line = "\(style.paint(word, color))\(margin) \(name) \(Table.printable(found))"
        guard let advice else { return line }
        return line + "\n" + String(repeating: " ", count: 10 + width) + "→ " + Table.printable(advice)
    }
}
