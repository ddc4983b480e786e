import MediaCache
import MediaLibrary
import Synchronization

/// Counts how often assets are begun to be played. Players open what they play several times: within a minute that's one.
final class PlayCounter: Sendable {
    private static let pause = Duration.seconds(60)
    /// Assets that are remembered to have been counted.
    private static let capacity = 1024

    private let store: CacheStore
    private let shelf: AssetShelf
    private let counted = Mutex<[AssetID: Duration]>([:])

    init(store: CacheStore, shelf: AssetShelf) {
        self.store = store
        self.shelf = shelf
    }

    /// Somebody reads the beginning of an asset. Nobody waits for what comes of it.
    func note(_ asset: AssetID) {
        let now = store.monotonicTime
        let isNew = counted.withLock { counted in
            if let last = counted[asset], now - last < Self.pause { return false }
            if counted.count >= Self.capacity { counted = counted.filter { now - $0.value < Self.pause } }
            counted[asset] = now
            return true
        }
        guard isNew, store.keepsBytes else { return }
        Task { try? await shelf.notePlay(of: asset) }
    }
}
