import MediaCache
import Synchronization

@testable import MediaCacheAVFoundation

/// A request by a scripted player that records the loader's calls.
final class ScriptedLoadingRequest: ResourceLoadingRequest {
    let url: String
    let wantsContentInformation: Bool
    let allowedContentTypes: [String]
    let data: RequestedData?

    private struct State {
        var information: ContentInformation?
        var bytes: [UInt8] = []
        var isFinished = false
        var error: CacheError?
        var isCancelled = false
        var callsAfterEnd = 0
        var callsAfterCancellation = 0
    }

    private let state = Mutex(State())
    private let changes: ChangeSignal?

    /// Creates a request that sends `changes` after each call.
    init(
        _ url: String, wantsContentInformation: Bool = false, allowing allowedContentTypes: [String] = [],
        data: RequestedData? = nil, changes: ChangeSignal? = nil
    ) {
        (self.url, self.data, self.changes) = (url, data, changes)
        self.wantsContentInformation = wantsContentInformation
        self.allowedContentTypes = allowedContentTypes
    }

    var information: ContentInformation? { state.withLock { $0.information } }
    var bytes: [UInt8] { state.withLock { $0.bytes } }
    var count: Int { state.withLock { $0.bytes.count } }
    var isFinished: Bool { state.withLock { $0.isFinished } }
    var error: CacheError? { state.withLock { $0.error } }
    var isOver: Bool { state.withLock { $0.isFinished || $0.error != nil || $0.isCancelled } }
    /// The number of calls after cancellation. One may be in progress when the request is cancelled.
    var callsAfterCancellation: Int { state.withLock { $0.callsAfterCancellation } }
    var callsAfterEnd: Int { state.withLock { $0.callsAfterEnd } }

    func cancel() { state.withLock { $0.isCancelled = true } }

    func typeIdentifiers(for name: TypeName) -> [String] { ScriptedTypes.identifiers[name] ?? [] }
    func provide(_ information: ContentInformation) { change { $0.information = information } }
    func respond(with bytes: [UInt8]) async { change { $0.bytes += bytes } }
    func finish() { change { $0.isFinished = true } }
    func finish(with error: CacheError) { change { $0.error = error } }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { state in
            if state.isFinished || state.error != nil { state.callsAfterEnd += 1 }
            if state.isCancelled { state.callsAfterCancellation += 1 }
            body(&state)
        }
        changes?.send()
    }
}

/// A request whose player accepts no bytes until the test continues it.
final class SlowLoadingRequest: ResourceLoadingRequest {
    let url: String
    let wantsContentInformation = false
    let allowedContentTypes: [String] = []
    let data: RequestedData?
    private let received = AsyncStream.makeStream(of: Void.self)
    private let continuing = AsyncStream.makeStream(of: Void.self)

    init(_ url: String, _ data: RequestedData) { (self.url, self.data) = (url, data) }

    /// Waits until the loader has passed the first bytes.
    func firstBytes() async { for await _ in received.stream { return } }
    func proceed() { continuing.continuation.finish() }

    func typeIdentifiers(for name: TypeName) -> [String] { [] }
    func provide(_ information: ContentInformation) {}
    func respond(with bytes: [UInt8]) async {
        received.continuation.yield()
        for await _ in continuing.stream {}
    }
    func finish() {}
    func finish(with error: CacheError) {}
}

/// Some of the types that Apple's systems know.
enum ScriptedTypes {
    static let identifiers: [TypeName: [String]] = [
        .mediaType("video/mp4"): ["public.mpeg-4"],
        .mediaType("audio/mp4"): ["public.mpeg-4-audio"],
        .mediaType("video/quicktime"): ["com.apple.quicktime-movie"],
        .mediaType("audio/mpeg"): ["public.mp3", "public.mpeg-audio"],
        .pathExtension("mp4"): ["public.mpeg-4"],
        .pathExtension("m4v"): ["com.apple.m4v-video"],
        .pathExtension("m4a"): ["com.apple.m4a-audio", "public.mpeg-4-audio"],
        .pathExtension("mp3"): ["public.mp3"],
    ]
}
