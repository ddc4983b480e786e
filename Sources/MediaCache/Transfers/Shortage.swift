import Synchronization

/// A reader of what plays that waits for bytes. It does from ``begin()`` until ``end()``, or until nobody refers to it.
final class Shortage: Sendable {
    private enum Phase { case idle, running, over }

    private let traffic: Traffic
    /// The scheme and authority whose bytes are waited for; nil holds every host's transfers back.
    private let host: String?
    private let phase = Mutex(Phase.idle)

    init(_ traffic: Traffic, host: String? = nil) {
        self.traffic = traffic
        self.host = host
    }

    /// Creates the shortage of a reader of this class. Nil if the reader doesn't play, or waits for something that the
    /// origin doesn't have yet: other transfers couldn't help it by holding back.
    convenience init?(_ traffic: Traffic, of transferClass: TransferClass, _ settings: TransferSettings?, host: String)
    {
        guard transferClass == .playback, settings?.waitsForOrigin != true else { return nil }
        self.init(traffic, host: host)
    }

    deinit { end() }

    /// It waits; unless it was told already that there is something.
    func begin() {
        phase.withLock { phase in
            guard phase == .idle else { return }
            phase = .running
            traffic.shortageBegan(at: host)
        }
    }

    /// There is something.
    func end() {
        let isRunning = phase.withLock { phase in
            defer { phase = .over }
            return phase == .running
        }
        if isRunning { traffic.shortageEnded(at: host) }
    }
}

extension Shortage? {
    /// A reader's wake that ends its shortage first: it waits no longer, whether it reads on or not.
    func wrapping(_ wake: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        guard let self else { return wake }
        return {
            self.end()
            wake()
        }
    }
}
