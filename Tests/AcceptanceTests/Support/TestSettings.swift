import Foundation

/// What the environment says about this run.
enum TestSettings {
    /// `MEDIACACHE_SOAK=1`: the full counts, however long they take.
    static let isSoak = variable("MEDIACACHE_SOAK") == "1"

    static func variable(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }
}
