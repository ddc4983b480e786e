// error: main actor-isolated initializer
import AVFoundation

nonisolated func item(of asset: AVAsset) -> AVPlayerItem { AVPlayerItem(asset: asset) }
