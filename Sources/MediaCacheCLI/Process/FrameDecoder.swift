import Foundation
import MediaCacheAPI
import MediaLibrary

/// A decoder of frames that uses ffmpeg.
struct FrameDecoder: Sendable {
    /// A function that prepares the data of a frame, by its time and the path of the clip to write.
    private let source: @Sendable (Double, String, OperationControl) throws -> FrameSource?
    /// The cache folder that contains the temporary files of ffmpeg; nil for the system's temporary folder.
    private let cacheFolder: String?

    /// - Parameter gateway: The cache that a URL is read through; nil for a file.
    init(of input: MediaInput, gateway: (any MediaGateway)?, cacheFolder: String?) {
        source = { try FrameSource.make(of: input, at: $0, writingClipTo: $1, gateway: gateway, $2) }
        self.cacheFolder = cacheFolder
    }

    /// Creates a decoder of a film that the server in this process serves.
    init(ofServed url: String, gateway: LocalServerGateway, cacheFolder: String?) {
        source = { try FrameSource.make(ofServed: url, at: $0, writingClipTo: $1, gateway: gateway, $2) }
        self.cacheFolder = cacheFolder
    }

    /// The time in seconds up to which all frames from the beginning are decoded. Later times are reached by seeking in
    /// a file, or by decoding only the key frames of other inputs.
    private static let fullDecodingLimit = 20.0
    private static let clipName = "film.mp4"
    private static let frameName = "frame.jpg"

    /// Decodes the frame at a time in seconds; returns nil if the film has none there. Messages call the film `name`.
    func frame(at time: Double, of name: String) async throws -> Cover? {
        try await BlockingOperation.run { control in try decode(time, name, control) }
    }

    private func decode(_ time: Double, _ name: String, _ control: OperationControl) throws -> Cover? {
        let ffmpeg = try FFmpeg(for: "decoding a frame of \(name)")
        let folder = try ScratchFolder(in: cacheFolder)
        guard let source = try self.source(time, folder.file(Self.clipName), control) else { return nil }
        let code: Int32
        switch source {
        case .clip:
            code = try ffmpeg.run(FFmpeg.input(.file(Self.clipName)) + Self.outputArguments, control, in: folder.path)
        case .file(let path): code = try decode(path, time, folder, ffmpeg, control)
        case .bytes(let bytes): code = try decode(bytes, time, folder, ffmpeg, control)
        }
        if let data = FileManager.default.contents(atPath: folder.file(Self.frameName)), !data.isEmpty {
            return Cover(bytes: Array(data), mediaType: "image/jpeg")
        }
        guard try code == 0 || hasNoFrame(source, code, ffmpeg, control) else {
            throw CommandFailure(.failed, "ffmpeg couldn't decode a frame of \(name); its exit code is \(code)")
        }
        return nil
    }

    private static let outputArguments = [
        "-map", "0:v:0", "-frames:v", "1", "-q:v", "2", "-update", "1", "-threads", "2", "file:\(frameName)",
    ]

    private func decode(
        _ path: String, _ time: Double, _ folder: ScratchFolder, _ ffmpeg: FFmpeg, _ control: OperationControl
    ) throws -> Int32 {
        let input = FFmpeg.input(.file(path))
        let seek = ["-ss", "\(time)"]
        // Seeking in the input requires an index, which not every film has.
        let arguments = time < Self.fullDecodingLimit ? input + seek : seek + input
        return try ffmpeg.run(arguments + Self.outputArguments, control, in: folder.path)
    }

    private func decode(
        _ bytes: MediaByteReader, _ time: Double, _ folder: ScratchFolder, _ ffmpeg: FFmpeg, _ control: OperationControl
    ) throws -> Int32 {
        let input = FFmpeg.input(.standardInput) + ["-ss", "\(time)"] + Self.outputArguments
        if time >= Self.fullDecodingLimit {
            let code = try ffmpeg.run(
                ["-skip_frame", "nokey"] + input, control, within: .streamedFrame, in: folder.path, feeding: bytes)
            if FileManager.default.fileExists(atPath: folder.file(Self.frameName)) { return code }
        }
        return try ffmpeg.run(input, control, within: .streamedFrame, in: folder.path, feeding: bytes)
    }

    /// Returns whether ffmpeg failed only because the film has no frame at the time.
    private func hasNoFrame(
        _ source: FrameSource, _ code: Int32, _ ffmpeg: FFmpeg, _ control: OperationControl
    ) throws -> Bool {
        let input: [String]
        let bytes: MediaByteReader?
        switch source {
        case .clip: return false
        case .file(let path): (input, bytes) = (FFmpeg.input(.file(path)), nil)
        case .bytes(let reader): (input, bytes) = (FFmpeg.input(.standardInput), reader)
        }
        func has(_ stream: String) throws -> Bool {
            let probe = input + ["-map", stream, "-c", "copy", "-t", "0", "-f", "null", "-"]
            return try ffmpeg.run(probe, control, within: bytes == nil ? .frame : .streamedFrame, feeding: bytes) == 0
        }
        // Since ffmpeg 6.1, a time after the end is an “invalid argument”. Earlier versions exit with 0.
        if try has("0:v:0") { return code == 234 }
        return try has("0:a:0")
    }
}

/// The server's decoder of frames.
struct FFmpegFrames: FrameExtractor {
    /// The cache folder that contains the temporary files of ffmpeg.
    var cacheFolder: String?

    func frame(of url: String, at time: Double) async throws -> Cover? {
        let gateway = LocalServerGateway(toServerOf: url)
        do {
            let decoder = FrameDecoder(ofServed: url, gateway: gateway, cacheFolder: cacheFolder)
            return try await decoder.frame(at: time, of: "the film")
        } catch {
            let isOurs = error is CommandFailure || error is MediaJobError
            guard isOurs, let failure = CommandFailure(error) else { throw error }
            throw Problem(title: "Not decoded", status: 500, detail: failure.message, code: "undecodable")
        }
    }
}

/// The server's encoder of programmes.
struct FFmpegEncoder: MediaFileEncoder {
    func encode(
        _ input: String, asThreeGP output: String, duration seconds: Double,
        onProgress: @escaping @Sendable (Double) -> Void
    ) async throws {
        let ffmpeg = try FFmpeg(for: "encoding the programme")
        try await ffmpeg.encode(
            input, as: .threeGP, to: output, outputName: "the programme", duration: seconds, onProgress: onProgress)
    }
}
