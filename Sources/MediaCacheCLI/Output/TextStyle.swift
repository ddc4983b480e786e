import Foundation

/// Colours of text for people: on a terminal alone, and never where the environment says NO_COLOR (no-color.org) or that
/// the terminal is dumb.
struct TextStyle: Sendable, Hashable {
    /// A colour of the terminal's own sixteen, so that it goes with any background.
    enum Colour: Int, Sendable {
        case red = 31
        case green = 32
        case yellow = 33
        case faint = 2
    }

    /// Whether there are colours.
    let isColoured: Bool

    /// A style.
    init(isColoured: Bool) {
        self.isColoured = isColoured
    }

    /// The style for a stream.
    init(
        _ choice: ColourChoice = .auto, isTerminal: Bool,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        guard choice == .auto else {
            isColoured = choice == .always
            return
        }
        let isForbidden = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        isColoured = isTerminal && !isForbidden && environment["TERM"] != "dumb"
    }

    /// Without colours.
    static let plain = TextStyle(isColoured: false)

    /// The style of standard error.
    static var error: TextStyle { TextStyle(isTerminal: StandardStreams.errorIsTerminal) }

    /// `text` in a colour, where there are colours.
    func paint(_ text: String, _ colour: Colour) -> String {
        isColoured && !text.isEmpty ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
    }
}
