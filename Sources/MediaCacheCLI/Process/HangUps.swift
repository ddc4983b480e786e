import Dispatch
import Foundation
import Synchronization

/// The signal SIGHUP, which requests a reload or reports that the terminal was closed.
final class HangUps: Sendable {
    enum Meaning: Sendable, Hashable {
        case reload
        case terminalClosed
    }

    /// The signals since the initialization. Of those that arrive while another is handled, only the last is delivered.
    let stream: AsyncStream<Meaning>
    private let source = Mutex<(any DispatchSourceSignal)?>(nil)

    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: Meaning.self, bufferingPolicy: .bufferingNewest(1))
        self.stream = stream
        // A process that was started with the signal ignored (nohup) outlives its terminal.
        let hadTerminal = !Self.areIgnored && Self.hasTerminal
        #if canImport(Darwin)
            signal(SIGHUP, SIG_IGN)
        #else
            signal(SIGHUP, SIG_DFL)
        #endif
        source.withLock { held in
            let source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: .global(qos: .userInteractive))
            source.setEventHandler {
                continuation.yield(hadTerminal && !Self.hasTerminal ? .terminalClosed : .reload)
            }
            source.activate()
            held = source
        }
    }

    deinit { source.withLock { $0?.cancel() } }

    /// Whether the process was started with the signal ignored, such as by `nohup`. It must be read before the process
    /// handles the signal, since handling sets the signal to ignored on Apple systems.
    static let areIgnored: Bool = {
        let handler = signal(SIGHUP, SIG_IGN)
        let isIgnored = unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
        if !isIgnored { signal(SIGHUP, handler) }
        return isIgnored
    }()

    /// Whether the process has an open terminal.
    private static var hasTerminal: Bool {
        let descriptor = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
    }
}
