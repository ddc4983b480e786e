import MediaCache
import MediaLibrary

/// Opens what a player is given for a window.
struct WindowOpener: ReaderOpener {
    let live: LiveChannel
    let window: WindowRequest
    /// Whether it's for its pictures alone.
    let isPictures: Bool

    var name: String { live.path }

    func reader(_ range: RequestedRange) async throws -> any ByteReader {
        if isPictures {
            let bytes = try await live.translating {
                try await live.recording.pictures(window, isStrict: live.isStrict)
            }
            return try MemoryReader(playlist: bytes, name: name)
        }
        let entry = try await live.translating { try await live.recording.entry(window, isStrict: live.isStrict) }
        return try MemoryReader(playlist: Array(entry.text.utf8), name: name, windowStart: entry.begins)
    }
}
