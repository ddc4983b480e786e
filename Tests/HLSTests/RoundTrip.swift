import FormatProperties
import HLS
import Testing

/// Expects a playlist to survive writing and parsing, with the declared and the lowest version.
func expectIdentity(_ parsed: ParsedPlaylist, _ name: @autoclosure () -> String) throws {
    if let problem = identityProblem(parsed) { Issue.record("\(name()): \(problem)") }
}
