import Foundation
import TestSupport

/// A public transport stream of 9 s with video and audio, read from the corpora.
enum PublicClip {
    static let bytes: [UInt8]? = {
        let file = Prerequisite.corpora.appending(path: "videojs-mux.js/segments/test-segment.ts")
        return (try? Data(contentsOf: file)).map { Array($0) }
    }()
}
