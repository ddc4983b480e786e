import Foundation
import MediaLibrary

/// A picture out of a film, which ffmpeg decodes where it's installed.
struct FilmFrame: Sendable {
    /// Where nothing else is said, the picture is from here, in seconds: past most black leaders.
    static let usualTime = 10.0

    /// The film: a path, or a play URL.
    var input: String
    /// The moment, in seconds.
    var time: Double

    /// Takes the picture.
    ///
    /// - Parameter name: what messages call the film.
    /// - Returns: nil where the film has no picture at that moment.
    /// - Throws: ``CommandFailure`` if ffmpeg isn't installed.
    func take(of name: String, _ control: WorkControl) throws -> Cover? {
        let ffmpeg = try FFmpeg(for: "a picture of \(name) has to be decoded")
        let folder = FileManager.default.temporaryDirectory.appending(path: "mediacache-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let picture = folder.appending(path: "frame.jpg")
        _ = try ffmpeg.run(
            ["-ss", "\(time)", "-i", input, "-map", "0:v:0", "-frames:v", "1", "-q:v", "2", "-update", "1"]
                + [picture.path(percentEncoded: false)],
            control)
        guard let data = try? Data(contentsOf: picture), !data.isEmpty else { return nil }
        return Cover(bytes: Array(data), mediaType: "image/jpeg")
    }
}
