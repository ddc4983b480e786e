import MediaCache
import Synchronization

/// Holds the current key, and says whether a request has it.
final class AccessControl: Sendable {
    private let file: AccessKeyFile?
    private let current: Mutex<AccessKey>

    init(key: AccessKey, file: AccessKeyFile? = nil) {
        self.file = file
        current = Mutex(key)
    }

    var key: AccessKey { current.withLock { $0 } }

    /// Whether text from a path is the key.
    func admits(_ candidate: some StringProtocol) -> Bool {
        key.matches(candidate)
    }

    /// Whether an `Authorization` field carries the key as a bearer token (RFC 6750 §2.1).
    func admits(authorization: String?) -> Bool {
        guard let authorization else { return false }
        let words = authorization.split(separator: " ", maxSplits: 1)
        return words.count == 2 && words[0].lowercased() == "bearer" && key.matches(words[1])
    }

    /// Replaces the key, in its file too if it has one.
    func roll() throws -> AccessKey {
        let key = try file?.roll() ?? AccessKey()
        current.withLock { $0 = key }
        return key
    }
}
