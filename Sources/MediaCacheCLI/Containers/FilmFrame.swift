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
    func take(of name: String) throws -> Cover? {
        guard let ffmpeg = InstalledProgram.path(of: "ffmpeg") else {
            throw CommandFailure(
                .failed,
                "no picture is embedded in \(name), and ffmpeg, which can take one from a film, isn't in $PATH; "
                    + "install it (apt-get install ffmpeg, or brew install ffmpeg)")
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: "mediacache-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let picture = folder.appending(path: "frame.jpg")
        let process = Process()
        process.executableURL = URL(filePath: ffmpeg)
        process.arguments =
            ["-v", "quiet", "-nostdin", "-ss", "\(time)", "-i", input, "-map", "0:v:0", "-frames:v", "1", "-q:v", "2"]
            + ["-update", "1", "-y", picture.path(percentEncoded: false)]
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard let data = try? Data(contentsOf: picture), !data.isEmpty else { return nil }
        return Cover(bytes: Array(data), mediaType: "image/jpeg")
    }
}
