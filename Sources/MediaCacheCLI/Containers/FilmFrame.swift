import Foundation
import MediaContainers
import MediaLibrary

/// A picture out of a film, decoded by ffmpeg where it's installed.
///
/// ffmpeg never reads a film where it is: of MP4, MPEG-TS and streams it gets a file with the few pictures that the moment
/// needs, of other formats the bytes by its standard input, or the local file that the user named.
struct FilmFrame<Resources: StreamResources>: Sendable where Resources: Sendable, Resources.Bytes: SendableMetatype {
    /// The film: the URL of a file or a playlist.
    var url: String
    /// The resources that the film is read from.
    var resources: Resources
    /// The moment, in seconds.
    var time: Double
    /// The path of the film where it is a file that the user named.
    var path: String?
    /// The cache folder that holds the files for ffmpeg; nil for the system's folder of temporary files.
    var cacheFolder: String?

    /// Up to here in seconds all pictures of an input that can't be sought are decoded; beyond, key pictures alone.
    private static var nearBeginning: Double { 20 }
    private static var clipName: String { "film.mp4" }
    private static var pictureName: String { "frame.jpg" }

    /// The input of ffmpeg.
    private enum Source {
        /// The file with the pictures of the moment.
        case clip
        /// A file of the user's.
        case file(String)
        /// The film's bytes.
        case bytes(any MediaContainers.ByteSource)
    }

    /// Takes the picture.
    ///
    /// - Parameter name: the film in messages.
    /// - Returns: nil where the film has no picture at that moment.
    /// - Throws: ``CommandFailure`` if ffmpeg isn't installed, or can't decode the film.
    func take(of name: String, _ control: WorkControl) throws -> Cover? {
        let ffmpeg = try FFmpeg(for: "a picture of \(name) has to be decoded")
        let folder = try ScratchFolder(in: cacheFolder)
        let found: Source?
        do {
            found = try source(folder)
        } catch {
            throw CommandFailure(error, of: name)
        }
        guard let found else { return nil }
        let code: Int32
        switch found {
        case .clip:
            code = try ffmpeg.run(FFmpeg.input(.file(Self.clipName)) + Self.picture, control, in: folder.path)
        case .file(let path): code = try take(from: path, folder, ffmpeg, control)
        case .bytes(let source): code = try take(from: source, folder, ffmpeg, control)
        }
        if let data = FileManager.default.contents(atPath: folder.file(Self.pictureName)), !data.isEmpty {
            return Cover(bytes: Array(data), mediaType: "image/jpeg")
        }
        guard try code == 0 || isWithoutPicture(found, code, ffmpeg, control) else {
            throw CommandFailure(.failed, "ffmpeg couldn't decode a picture of \(name): it ended with \(code)")
        }
        return nil
    }

    /// Finds what ffmpeg reads, and makes it; nil where the film has no picture at that moment.
    private func source(_ folder: ScratchFolder) throws(ContainerError) -> Source? {
        let film: MovieSource<Resources.Bytes>
        do throws(ContainerError) {
            film = try MovieSource(of: url, resources: resources)
        } catch {
            guard error.code == .notThisFormat else { throw error }
            return try foreign()
        }
        let file = try FileSink(path: folder.file(Self.clipName))
        do throws(ContainerError) {
            switch film {
            case .playlist(let plan):
                return try FrameClip.write(plan, from: resources, at: time, to: file) ? .clip : nil
            case .file(.mp4, let bytes):
                return try FrameClip.write(try MP4Reader(bytes), at: time, to: file) ? .clip : nil
            case .file:
                let plan = StreamPlan(inputs: [[StreamPart(url: url)]])
                return try FrameClip.write(plan, from: resources, at: time, to: file) ? .clip : nil
            }
        } catch {
            // ffmpeg knows more codings, and gets past more damage.
            guard case .file = film, ![.inputOutput, .encrypted].contains(error.code) else { throw error }
            return try foreign()
        }
    }

    private func foreign() throws(ContainerError) -> Source {
        if let path { return .file(path) }
        return .bytes(try resources.bytes(of: url, range: nil))
    }

    private static var picture: [String] {
        ["-map", "0:v:0", "-frames:v", "1", "-q:v", "2", "-update", "1", "-threads", "2", "file:\(pictureName)"]
    }

    private func take(
        from path: String, _ folder: ScratchFolder, _ ffmpeg: FFmpeg, _ control: WorkControl
    ) throws -> Int32 {
        let input = FFmpeg.input(.file(path))
        let moment = ["-ss", "\(time)"]
        // A seek needs an index, which not every film has.
        let arguments = time < Self.nearBeginning ? input + moment : moment + input
        return try ffmpeg.run(arguments + Self.picture, control, in: folder.path)
    }

    private func take(
        from source: any MediaContainers.ByteSource, _ folder: ScratchFolder, _ ffmpeg: FFmpeg, _ control: WorkControl
    ) throws -> Int32 {
        let input = FFmpeg.input(.standardInput) + ["-ss", "\(time)"] + Self.picture
        if time >= Self.nearBeginning {
            let code = try ffmpeg.run(
                ["-skip_frame", "nokey"] + input, control, within: .streamedFrame, in: folder.path, feeding: source)
            if FileManager.default.fileExists(atPath: folder.file(Self.pictureName)) { return code }
        }
        return try ffmpeg.run(input, control, within: .streamedFrame, in: folder.path, feeding: source)
    }

    /// Whether nothing else is wrong than that there is no picture to take.
    private func isWithoutPicture(
        _ source: Source, _ code: Int32, _ ffmpeg: FFmpeg, _ control: WorkControl
    ) throws -> Bool {
        func has(_ stream: String) throws -> Bool {
            let look = ["-map", stream, "-c", "copy", "-t", "0", "-f", "null", "-"]
            switch source {
            case .clip: return stream == "0:v:0"
            case .file(let path): return try ffmpeg.run(FFmpeg.input(.file(path)) + look, control) == 0
            case .bytes(let bytes):
                return try ffmpeg.run(
                    FFmpeg.input(.standardInput) + look, control, within: .streamedFrame, feeding: bytes) == 0
            }
        }
        if case .clip = source { return false }
        // From version 6.1 on a moment behind the end is an “invalid argument”; before, it ends with 0.
        if try has("0:v:0") { return code == 234 }
        return try has("0:a:0")
    }
}
