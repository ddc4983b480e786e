import Foundation

/// The style of output. By default, colors are used only on a terminal that supports them, and not if NO_COLOR is set
/// (no-color.org).
struct TextStyle: Sendable, Hashable {
    /// A text attribute (SGR). Colors are those of the terminal's palette, so that they are readable on its background.
    enum Colour: Int, Sendable {
        case red = 31
        case green = 32
        case yellow = 33
        case faint = 2
    }

    /// Whether output has colors.
    let isColoured: Bool

    init(isColoured: Bool) {
        self.isColoured = isColoured
    }

    /// Creates the style of a stream.
    init(
        _ choice: ColourChoice = .auto, isTerminal: Bool,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        guard choice == .auto else {
            isColoured = choice == .always
            return
        }
        let isDisabled = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        isColoured = isTerminal && !isDisabled && environment["TERM"] != "dumb"
    }

    /// The style without colors.
    static let plain = TextStyle(isColoured: false)

    /// The style of standard error.
    static var error: TextStyle { TextStyle(isTerminal: StandardStreams.errorIsTerminal) }

    /// Returns a text in a color if the style has colors; otherwise unchanged.
    func paint(_ text: String, _ colour: Colour) -> String {
        isColoured && !text.isEmpty ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
    }
}
