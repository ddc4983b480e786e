import Foundation

/// A transport stream of 9 s, with pictures and sound, that others made; read in place.
enum PublicClip {
    static let bytes: [UInt8]? = {
        let file = URL(filePath: #filePath).appending(
            path: "../../../../../shared/corpora/videojs-mux.js/segments/test-segment.ts")
        return (try? Data(contentsOf: file.standardizedFileURL)).map { Array($0) }
    }()
}
