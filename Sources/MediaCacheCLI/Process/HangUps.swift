import Dispatch
import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// SIGHUP, which means two things: that a service is to read its configuration again, and that the terminal is gone.
final class HangUps: Sendable {
    /// What one means.
    enum Meaning: Sendable, Hashable {
        /// Somebody asks for a reload.
        case asked
        /// The terminal that the process began at is gone.
        case terminalGone
    }

    /// Those that come from now on; several that nobody has heeded yet are one.
    let stream: AsyncStream<Meaning>
    private let source = Mutex<(any DispatchSourceSignal)?>(nil)

    /// Takes the signal over.
    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: Meaning.self, bufferingPolicy: .bufferingNewest(1))
        self.stream = stream
        // Who began it with the signal ignored (nohup) wants it to outlive its terminal.
        #if canImport(Darwin)
            let wasIgnored = Self.isIgnoring(signal(SIGHUP, SIG_IGN))
        #else
            let wasIgnored = Self.isIgnoring(signal(SIGHUP, SIG_DFL))
        #endif
        let hadTerminal = !wasIgnored && Self.hasTerminal
        source.withLock { held in
            let source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: .global(qos: .userInteractive))
            source.setEventHandler {
                continuation.yield(hadTerminal && !Self.hasTerminal ? .terminalGone : .asked)
            }
            source.activate()
            held = source
        }
    }

    deinit { source.withLock { $0?.cancel() } }

    /// Whether this process ignores the signal, as one that was started by `nohup`.
    static var areIgnored: Bool {
        let handler = signal(SIGHUP, SIG_IGN)
        if !isIgnoring(handler) { signal(SIGHUP, handler) }
        return isIgnoring(handler)
    }

    private static func isIgnoring(_ handler: (@convention(c) (Int32) -> Void)?) -> Bool {
        unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Whether the process has a terminal that is still there.
    private static var hasTerminal: Bool {
        let descriptor = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
    }
}
