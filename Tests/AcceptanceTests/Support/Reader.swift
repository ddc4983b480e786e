import Foundation
import Synchronization

/// A reader that continues until it is stopped, finds a difference, or reaches the end of the file.
final class Reader: Sendable {
    /// The connection, used only by the reading thread after initialization.
    private nonisolated(unsafe) let connection: HTTPConnection
    private let isStopped = Mutex(false)

    init(connection: HTTPConnection) { self.connection = connection }

    func stop() { isStopped.withLock { $0 = true } }

    /// Compares the body with `file` from `offset` on.
    ///
    /// - Parameter outlivesServer: Whether the reader ends normally if the connection is closed.
    /// - Returns: The offset of the first buffer that differs.
    /// - Throws: `HarnessError` if the body is shorter than the rest of the file.
    func readUntilStopped(_ file: MappedFile, at offset: Int = 0, outlivesServer: Bool = false) async throws -> Int? {
        try await onThread { [self] in
            let step = 256 << 10
            var position = offset
            while position < file.count, !isStopped.withLock({ $0 }) {
                let count = min(step, file.count - position)
                guard connection.bodyLeft >= count else {
                    throw HarnessError("the body ends \(count - connection.bodyLeft) bytes too early")
                }
                do {
                    if let difference = try connection.firstDifference(from: file, at: position, limit: count) {
                        return difference
                    }
                    position += count
                } catch {
                    if outlivesServer { return nil }
                    throw error
                }
            }
            return nil
        }
    }
}
