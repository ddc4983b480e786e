// error: does not conform to the 'Sendable' protocol
import AVFoundation

func sendable(_ asset: AVAsset) -> any Sendable { asset }
