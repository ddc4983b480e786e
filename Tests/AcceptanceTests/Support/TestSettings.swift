import Foundation

/// The environment variables that configure the test run.
enum TestSettings {
    /// Whether tests run with full counts, regardless of their duration (`MEDIACACHE_SOAK=1`).
    static let isSoak = variable("MEDIACACHE_SOAK") == "1"

    static func variable(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }
}
