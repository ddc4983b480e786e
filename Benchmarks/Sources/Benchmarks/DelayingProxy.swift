import Foundation
import Synchronization
import TestSupport

/// A TCP proxy on the loopback interface that delays each direction without limiting its rate. The handshake of a
/// connection takes a round trip.
final class DelayingProxy: Sendable {
    private let listener: LoopbackListener

    var port: Int { listener.port }

    /// - Parameters:
    ///   - target: The port of the server.
    ///   - delay: The delay of each direction.
    init(to target: Int, delay: Duration) throws {
        listener = try LoopbackListener(serve: { connection in
            Thread.sleep(forTimeInterval: 2 * delay.milliseconds / 1000)
            guard let server = Self.open(to: target) else { return }
            defer { close(server) }
            // The descriptors are closed only after all threads have finished using them.
            let threads = DispatchGroup()
            for (source, destination) in [(connection, server), (server, connection)] {
                var flag: Int32 = 1
                setsockopt(source, Int32(IPPROTO_TCP), TCP_NODELAY, &flag, socklen_t(MemoryLayout<Int32>.size))
                let direction = Direction(delay: delay)
                let steps: [@Sendable () -> Void] = [
                    { direction.receive(from: source) }, { direction.send(to: destination, from: source) },
                ]
                for step in steps {
                    threads.enter()
                    Thread.detachNewThread {
                        step()
                        threads.leave()
                    }
                }
            }
            threads.wait()
        })
    }

    private static func open(to port: Int) -> Int32? {
        #if canImport(Glibc)
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #else
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { return nil }
        var address = sockaddr_in.loopback(port: port)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    /// The bytes on their way in one direction.
    private final class Direction: Sendable {
        private let delay: Duration
        private let pieces = Mutex<[(due: ContinuousClock.Instant, bytes: Data)]>([])
        private let count = DispatchSemaphore(value: 0)

        init(delay: Duration) { self.delay = delay }

        /// Receives until the end of a connection, which is an empty piece.
        func receive(from source: Int32) {
            var buffer = [UInt8](repeating: 0, count: 256 << 10)
            while true {
                let length = recv(source, &buffer, buffer.count, 0)
                if length < 0 && errno == EINTR { continue }
                let piece = Data(buffer[..<max(length, 0)])
                pieces.withLock { $0.append((.now + delay, piece)) }
                count.signal()
                if length <= 0 { return }
            }
        }

        /// Sends each piece when it is due. If that fails, ends receiving from the source.
        func send(to destination: Int32, from source: Int32) {
            while true {
                count.wait()
                let (due, bytes) = pieces.withLock { $0.removeFirst() }
                let wait = due - .now
                if wait > .zero { Thread.sleep(forTimeInterval: wait.milliseconds / 1000) }
                guard !bytes.isEmpty else {
                    shutdown(destination, Int32(SHUT_WR))
                    return
                }
                guard LoopbackListener.send(bytes, on: destination) else {
                    shutdown(source, Int32(SHUT_RDWR))
                    return
                }
            }
        }
    }
}
