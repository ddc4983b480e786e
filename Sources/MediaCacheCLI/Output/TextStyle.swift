import Foundation

/// The style of output. Colours are used only on a terminal that supports them, and not if NO_COLOR is set
/// (no-color.org).
struct TextStyle: Sendable, Hashable {
    /// A colour of the terminal's palette, in which it's readable on the terminal's background.
    enum Colour: Int, Sendable {
        case red = 31
        case green = 32
        case yellow = 33
        case faint = 2
    }

    /// Whether output has colours.
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

    /// The style without colours.
    static let plain = TextStyle(isColoured: false)

    /// The style of standard error.
    static var error: TextStyle { TextStyle(isTerminal: StandardStreams.errorIsTerminal) }

    /// Returns a text in a colour if the style has colours.
    func paint(_ text: String, _ colour: Colour) -> String {
        isColoured && !text.isEmpty ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
    }
}
