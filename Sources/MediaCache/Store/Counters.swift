import Synchronization

/// The store's statistics, counted where things happen.
package final class Counters: Sendable {
    private let statistics = Mutex(Statistics())

    package init() {}

    package var snapshot: Statistics { statistics.withLock { $0 } }

    package func add<Number: AdditiveArithmetic & ExpressibleByIntegerLiteral>(
        _ counter: WritableKeyPath<Statistics, Number>, _ amount: Number = 1
    ) {
        statistics.withLock { $0[keyPath: counter] += amount }
    }

    func opened(isHit: Bool) {
        statistics.withLock { statistics in
            statistics.reads += 1
            statistics.openReads += 1
            if isHit { statistics.hits += 1 }
        }
    }

    func read(bytes: Int64, fromCache: Int64) {
        statistics.withLock { statistics in
            statistics.bytesRead += bytes
            statistics.bytesFromCache += fromCache
        }
    }
}
