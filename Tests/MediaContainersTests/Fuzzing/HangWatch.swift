import Dispatch
import Synchronization

/// Ends the process where an input takes longer than it may, since nothing else ends a loop.
final class HangWatch {
    /// The input at work, and how often the timer has seen it.
    private final class Current: Sendable {
        /// No seed while none is at work.
        private let state = Mutex((seed: UInt64?.none, sightings: 0))

        func begin(_ seed: UInt64?) { state.withLock { $0 = (seed, 0) } }

        /// The input, if it was seen more than so often.
        func see(_ most: Int) -> UInt64? {
            state.withLock { state in
                state.sightings += 1
                return state.sightings > most ? state.seed : nil
            }
        }
    }

    private static let interval = 5

    private let current = Current()
    private let timer = DispatchSource.makeTimerSource(queue: .global())

    /// Watches the inputs of a fuzzer.
    ///
    /// - Parameters:
    ///   - name: what it damages.
    ///   - longest: what one may take, in seconds.
    init(_ name: String, longest: Int) {
        let most = longest / Self.interval
        timer.schedule(deadline: .now(), repeating: .seconds(Self.interval))
        timer.setEventHandler { [current] in
            guard let late = current.see(most) else { return }
            fatalError("\(name): seed \(late) doesn't end")
        }
        timer.resume()
    }

    deinit { timer.cancel() }

    /// An input begins.
    func begin(_ seed: UInt64) { current.begin(seed) }

    /// It has ended.
    func rest() { current.begin(nil) }
}
