import MediaCache
import Synchronization

@testable import MediaCacheAVFoundation

/// A request of a scripted player, which writes down what it's told.
final class ScriptedLoadingRequest: ResourceLoadingRequest {
    let url: String
    let wantsContentInformation: Bool
    let data: RequestedData?

    private struct State {
        var information: ContentInformation?
        var bytes: [UInt8] = []
        var isFinished = false
        var error: CacheError?
        var isCancelled = false
        var callsAfterTheEnd = 0
        var callsAfterCancellation = 0
    }

    private let state = Mutex(State())
    private let changes: ChangeSignal?

    /// A request.
    ///
    /// - Parameter changes: who hears of each thing that it's told.
    init(
        _ url: String, wantsContentInformation: Bool = false, data: RequestedData? = nil, changes: ChangeSignal? = nil
    ) {
        self.url = url
        self.changes = changes
        self.wantsContentInformation = wantsContentInformation
        self.data = data
    }

    var information: ContentInformation? { state.withLock { $0.information } }
    var bytes: [UInt8] { state.withLock { $0.bytes } }
    var count: Int { state.withLock { $0.bytes.count } }
    var isFinished: Bool { state.withLock { $0.isFinished } }
    var error: CacheError? { state.withLock { $0.error } }
    /// Whether nothing more comes.
    var isOver: Bool { state.withLock { $0.isFinished || $0.error != nil || $0.isCancelled } }
    /// What it was told after it was cancelled. Something may be on its way at that moment.
    var callsAfterCancellation: Int { state.withLock { $0.callsAfterCancellation } }
    /// What it was told after it was over.
    var callsAfterTheEnd: Int { state.withLock { $0.callsAfterTheEnd } }

    /// The player doesn't want it any more.
    func cancel() { state.withLock { $0.isCancelled = true } }

    func provide(_ information: ContentInformation) { change { $0.information = information } }
    func respond(with bytes: [UInt8]) async { change { $0.bytes += bytes } }
    func finish() { change { $0.isFinished = true } }
    func finish(with error: CacheError) { change { $0.error = error } }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { state in
            // What is cancelled this moment may still be told what was on its way.
            if state.isFinished || state.error != nil { state.callsAfterTheEnd += 1 }
            if state.isCancelled { state.callsAfterCancellation += 1 }
            body(&state)
        }
        changes?.send()
    }
}
