// error: cannot find 'AVAudioSession' in scope
// system: macOS
import AVFoundation

func play() throws { try AVAudioSession.sharedInstance().setCategory(.playback, mode: .moviePlayback) }
