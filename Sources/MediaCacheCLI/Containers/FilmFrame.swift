import Foundation
import MediaLibrary

/// A picture out of a film, which ffmpeg decodes where it's installed.
struct FilmFrame: Sendable {
    /// The film: a path, or a play URL.
    var input: String
    /// The moment, in seconds.
    var time: Double

    /// Up to here in seconds all is decoded from the beginning. A seek asks for an index, and ffmpeg finds nothing by one
    /// in a playlist whose only segment begins late on its stream's clock, as a recording's do.
    private static let nearBeginning = 20.0

    /// Takes the picture.
    ///
    /// - Parameter name: what messages call the film.
    /// - Returns: nil where the film has no picture at that moment.
    /// - Throws: ``CommandFailure`` if ffmpeg isn't installed, or can't decode the film.
    func take(of name: String, _ control: WorkControl) throws -> Cover? {
        let ffmpeg = try FFmpeg(for: "a picture of \(name) has to be decoded")
        let folder = FileManager.default.temporaryDirectory.appending(path: "mediacache-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let picture = folder.appending(path: "frame.jpg")
        let moment = ["-ss", "\(time)"]
        let opening = FFmpeg.input(input)
        let code = try ffmpeg.run(
            (time < Self.nearBeginning ? opening + moment : moment + opening)
                + ["-map", "0:v:0", "-frames:v", "1", "-q:v", "2", "-update", "1"]
                + [picture.path(percentEncoded: false)],
            control)
        if let data = try? Data(contentsOf: picture), !data.isEmpty {
            return Cover(bytes: Array(data), mediaType: "image/jpeg")
        }
        guard try code == 0 || isWithoutPicture(code, ffmpeg, control) else {
            throw CommandFailure(.failed, "ffmpeg couldn't decode a picture of \(name): it ended with \(code)")
        }
        return nil
    }

    /// Whether nothing else is wrong than that there is no picture to take.
    private func isWithoutPicture(_ code: Int32, _ ffmpeg: FFmpeg, _ control: WorkControl) throws -> Bool {
        func has(_ stream: String) throws -> Bool {
            let look = ["-map", stream, "-c", "copy", "-t", "0", "-f", "null", "-"]
            return try ffmpeg.run(FFmpeg.input(input) + look, control) == 0
        }
        // From version 6.1 on a moment behind the end is an “invalid argument”; before, it ends with 0.
        if try has("0:v:0") { return code == 234 }
        return try has("0:a:0")
    }
}
