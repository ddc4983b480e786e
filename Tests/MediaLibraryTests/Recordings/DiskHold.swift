import Foundation
import MediaCacheTesting
import Synchronization

/// A hold on one write or deletion of a file, which simulates a slow disk.
final class DiskHold: Sendable {
    private let state = Mutex((isArmed: false, isReached: false))
    private let released = DispatchSemaphore(value: 0)
    private let matches: @Sendable (HookedFileSystem.Moment, String) -> Bool

    /// - Parameter matches: Returns whether an operation on the file at a path may be blocked.
    init(_ matches: @escaping @Sendable (HookedFileSystem.Moment, String) -> Bool) { self.matches = matches }

    var files: HookedFileSystem { HookedFileSystem { self.pass($0, $1) } }

    /// Blocks the next matching operation.
    func arm() { state.withLock { $0 = (true, false) } }

    /// Whether an operation is or has been blocked.
    var isReached: Bool { state.withLock { $0.isReached } }

    func reached() async throws {
        while !isReached { try await Task.yieldUnlessCancelled() }
    }

    func release() { released.signal() }

    private func pass(_ moment: HookedFileSystem.Moment, _ path: String) {
        guard matches(moment, path) else { return }
        let isHeld = state.withLock { state in
            guard state.isArmed else { return false }
            state = (false, true)
            return true
        }
        if isHeld { released.wait() }
    }
}
