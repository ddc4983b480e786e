// error: has no member 'allowsExternalPlayback'
// system: visionOS
import AVFoundation

func mirror(_ player: AVPlayer) { player.allowsExternalPlayback = false }
