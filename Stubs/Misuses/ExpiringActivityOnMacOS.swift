// error: has no member 'performExpiringActivity'
// system: macOS
import Foundation

func work() { ProcessInfo.processInfo.performExpiringActivity(withReason: "work") { _ in } }
