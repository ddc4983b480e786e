import Foundation

/// The style of output. By default, colors are used only on a terminal that supports them, and not if NO_COLOR is set
/// (no-color.org).
struct TextStyle: Sendable, Hashable {
    /// A text color from the terminal's palette, so that it's readable on the terminal's background. The raw value is
    /// its SGR code.
    enum Color: Int, Sendable {
        case red = 31
        case green = 32
        case yellow = 33
    }

    let isColored: Bool

    init(isColored: Bool) {
        self.isColored = isColored
    }

    init(
        _ choice: ColorChoice = .auto, isTerminal: Bool,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        guard choice == .auto else {
            isColored = choice == .always
            return
        }
        let isDisabled = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        isColored = isTerminal && !isDisabled && environment["TERM"] != "dumb"
    }

    static let plain = TextStyle(isColored: false)

    static var error: TextStyle { TextStyle(isTerminal: StandardStreams.errorIsTerminal) }

    func paint(_ text: String, _ color: Color) -> String {
        isColored && !text.isEmpty ? "\u{1B}[\(color.rawValue)m\(text)\u{1B}[0m" : text
    }
}
