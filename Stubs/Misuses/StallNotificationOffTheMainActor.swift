// error: main actor-isolated class property 'playbackStalledNotification'
import AVFoundation
import Foundation

nonisolated func name() -> Notification.Name { AVPlayerItem.playbackStalledNotification }
