import Synchronization

/// Sets of variables that are too large for a play URL, by the token that stands in it for them. They are in memory
/// alone: after a restart the multivariant playlist, which every player begins with, tells them anew.
final class VariableBook: Sendable {
    /// The most that a set in a play URL may have, in bytes of its names and values: servers and players bound a URL.
    private static let inlineLength = 2048
    /// The most that all remembered sets have together, in bytes.
    private static let capacity = 8 << 20

    private struct VariableSet {
        var token: String
        var variables: [String: String]
        var length: Int
    }

    /// The least recently told first.
    private let sets = Mutex<[VariableSet]>([])

    /// What the URL of a playlist says that may import `variables` (RFC 8216bis §4.4.2.3).
    ///
    /// - Parameter room: how much longer the playlist that defines them may become by it, for each of its lines.
    func options(for variables: [String: String], room: Int) -> PlayOptions {
        let length = variables.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        if length <= min(Self.inlineLength, room) { return PlayOptions(variables: variables) }
        return PlayOptions(variableToken: remember(variables, length: length))
    }

    /// The variables that the options name; nil if they are no longer known.
    func variables(of options: PlayOptions) -> [String: String]? {
        guard let token = options.variableToken else { return options.variables }
        return sets.withLock { sets in
            guard let place = sets.firstIndex(where: { $0.token == token }) else { return nil }
            let known = sets.remove(at: place)
            sets.append(known)
            return known.variables
        }
    }

    private func remember(_ variables: [String: String], length: Int) -> String {
        sets.withLock { sets in
            let place = sets.firstIndex { $0.length == length && $0.variables == variables }
            // No two runs give a token to different sets.
            let known =
                place.map { sets.remove(at: $0) }
                ?? VariableSet(
                    token: String(UInt64.random(in: .min ... .max), radix: 36), variables: variables, length: length)
            sets.append(known)
            var total = sets.reduce(0) { $0 + $1.length }
            while total > Self.capacity, sets.count > 1 { total -= sets.removeFirst().length }
            return known.token
        }
    }
}
