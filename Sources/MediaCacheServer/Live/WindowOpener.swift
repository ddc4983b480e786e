import MediaCache
import MediaLibrary

/// Opens what a player is given for a window.
struct WindowOpener: ReaderOpener {
    let live: LiveChannel
    let window: WindowRequest
    /// Whether it's for its pictures alone.
    let isPictures: Bool

    var name: String { "\(LiveRoute.prefix)\(live.name)" }

    func reader(_ range: RequestedRange) async throws -> any ByteReader {
        if isPictures {
            let bytes = try await live.translating { try await live.recording.pictures(window) }
            return try MemoryReader(playlist: bytes, name: name)
        }
        let text = try await live.translating { try await live.recording.entry(window) }
        return try MemoryReader(playlist: Array(text.utf8), name: name)
    }
}
