import Foundation
import TestSupport

/// A public transport stream with 8.9 s of video and 8.6 s of audio.
enum PublicClip {
    /// The bytes of the stream; nil if the corpora are missing.
    static let bytes: [UInt8]? = {
        let file = Prerequisite.corpora.appending(path: "videojs-mux.js/segments/test-segment.ts")
        return (try? Data(contentsOf: file)).map { Array($0) }
    }()
}
