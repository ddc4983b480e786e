import Foundation

/// The settings of the test run in the environment.
enum TestSettings {
    /// Whether tests run with full counts, regardless of their duration (`MEDIACACHE_SOAK=1`).
    static let isSoak = variable("MEDIACACHE_SOAK") == "1"

    static func variable(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }
}
