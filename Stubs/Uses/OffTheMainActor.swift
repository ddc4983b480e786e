// Code that must compile: what an app may do off the main actor.
import AVFoundation
import Foundation
import MediaCache
import MediaCacheAVFoundation

nonisolated func item(of url: URL, in store: CacheStore) throws -> AVPlayerItem {
    try AVPlayerItem(url, caching: store)
}

nonisolated func item(of url: URL, in store: CacheStore, by server: any LocalURLProvider) async throws -> AVPlayerItem {
    try await AVPlayerItem.caching(url, in: store, server: server)
}

nonisolated func player(of asset: CachingAsset) -> AVPlayer {
    let player = AVPlayer(playerItem: AVPlayerItem(asset: asset))
    player.automaticallyWaitsToMinimizeStalling = !asset.isLoadedByApp
    player.play()
    return player
}

nonisolated func pause(_ player: AVPlayer) { player.pause() }

#if !STUB_visionOS
    nonisolated func mirror(_ player: AVPlayer) { player.allowsExternalPlayback = false }
#endif

nonisolated func copy(of asset: CachingAsset) -> CachingAsset? { asset.copy() as? CachingAsset }

nonisolated func sendable(_ request: AVAssetResourceLoadingRequest) -> any Sendable { request }
