import Synchronization

/// A cache of variables that are too long for a play URL, by token. It is only in memory: after a restart, players
/// reload the multivariant playlist, which adds the variables again.
final class PlaylistVariableCache: Sendable {
    /// The maximum length of variables in a play URL, in bytes of names and values. Servers and players limit the
    /// length of URLs.
    private static let inlineLength = 2048
    /// The maximum total size in bytes, exceeded only by a single set.
    private static let capacity = 8 << 20

    private struct VariableSet {
        var token: String
        var variables: [String: String]
        var length: Int
    }

    /// The sets, least recently used first.
    private let sets = Mutex<[VariableSet]>([])

    /// Returns the options for the URL of a playlist that may import `variables` (RFC 8216bis §4.4.2.3).
    ///
    /// - Parameter space: The number of bytes by which each line of the defining playlist may grow.
    func options(for variables: [String: String], space: Int) -> PlayOptions {
        let length = variables.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        if length <= min(Self.inlineLength, space) { return PlayOptions(variables: variables) }
        return PlayOptions(variableToken: remember(variables, length: length))
    }

    /// Returns the variables of options; nil if they are no longer cached.
    func variables(of options: PlayOptions) -> [String: String]? {
        guard let token = options.variableToken else { return options.variables }
        return sets.withLock { sets in
            guard let place = sets.firstIndex(where: { $0.token == token }) else { return nil }
            let found = sets.remove(at: place)
            sets.append(found)
            return found.variables
        }
    }

    private func remember(_ variables: [String: String], length: Int) -> String {
        sets.withLock { sets in
            let place = sets.firstIndex { $0.length == length && $0.variables == variables }
            // The token is random, so that a token from an earlier process doesn't match another set.
            let set =
                place.map { sets.remove(at: $0) }
                ?? VariableSet(
                    token: String(UInt64.random(in: .min ... .max), radix: 36), variables: variables, length: length)
            sets.append(set)
            var total = sets.reduce(0) { $0 + $1.length }
            while total > Self.capacity, sets.count > 1 { total -= sets.removeFirst().length }
            return set.token
        }
    }
}
