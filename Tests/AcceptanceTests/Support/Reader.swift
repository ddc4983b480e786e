import Foundation
import Synchronization

/// A reader that goes on until it is told to stop, its connection is cut, or the body ends.
final class Reader: Sendable {
    /// Only the thread that reads touches the connection once this object exists.
    private nonisolated(unsafe) let connection: HTTPConnection
    private let isStopped = Mutex(false)

    init(connection: HTTPConnection) { self.connection = connection }

    func stop() { isStopped.withLock { $0 = true } }

    /// Reads, comparing with `file` from `offset` on.
    /// - Parameter outlivesServer: whether a connection that is cut is an end like another.
    /// - Returns: the offset of a difference, or nil.
    func readUntilStopped(_ file: MappedFile, at offset: Int = 0, outlivesServer: Bool = false) async throws -> Int? {
        try await onThread { [self] in
            let step = 256 << 10
            var position = offset
            while position < file.count, !isStopped.withLock({ $0 }) {
                do {
                    let count = min(step, file.count - position)
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
