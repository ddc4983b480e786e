import Foundation
import MediaCache

/// The reader's end of an exchange. Letting go of it closes the exchange.
final class URLSessionExchangeBody: OriginBody {
    private let exchange: URLSessionExchange

    init(_ exchange: URLSessionExchange) {
        self.exchange = exchange
    }

    deinit { exchange.cancel() }

    func next() async throws -> (any OriginBuffer)? {
        try await withTaskCancellationHandler {
            if Task.isCancelled { cancel() }
            return try await withCheckedThrowingContinuation { exchange.read($0) }
        } onCancel: {
            exchange.cancel()
        }
    }

    func cancel() { exchange.cancel() }
}

/// Bytes as the session gave them.
struct DataBuffer: OriginBuffer {
    let data: Data

    var count: Int { data.count }

    func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try data.withUnsafeBytes(body)
    }
}
