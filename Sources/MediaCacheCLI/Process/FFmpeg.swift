import Foundation
import MediaLibrary

/// The program ffmpeg, which decodes frames and encodes films.
struct FFmpeg: Sendable {
    /// The exit codes of a process ended by a termination signal (SIGINT, SIGTERM).
    private static let signalExitCodes: Set<Int32> = [130, 143]
    /// The exit code if ffmpeg handles a termination signal, but also if the system denies an operation (EPERM).
    private static let ambiguousExitCode: Int32 = 255
    private let path: String
    /// The time to wait for the cancellation of the task after ``ambiguousExitCode``.
    private let cancellationTime: Duration

    static var isInstalled: Bool { InstalledProgram.path(of: "ffmpeg") != nil }

    init(for purpose: String) throws {
        guard let path = InstalledProgram.path(of: "ffmpeg") else {
            throw CommandFailure(
                .failed,
                "\(purpose) needs ffmpeg, which isn't in $PATH; install it (apt-get install ffmpeg, or "
                    + "brew install ffmpeg)")
        }
        self.init(path: path)
    }

    init(path: String, cancellationTime: Duration = .seconds(10)) {
        self.path = path
        self.cancellationTime = cancellationTime
    }

    /// Runs ffmpeg until its end, its deadline, or cancellation, and returns the exit code.
    ///
    /// - Parameters:
    ///   - folder: The working directory; nil for this process's.
    ///   - source: The source of its standard input; nil for `/dev/null`.
    ///   - isQuiet: Whether ffmpeg doesn't report errors on standard error.
    /// - Throws: ``CommandFailure`` if ffmpeg can't be started or exceeds its deadline; `CancellationError`; an error
    ///   of the source if ffmpeg fails because of it.
    func run(
        _ arguments: [String], _ control: OperationControl, within limits: Confinement = .frame,
        in folder: String? = nil,
        feeding source: MediaByteReader? = nil, isQuiet: Bool = true
    ) throws -> Int32 {
        try control.check()
        let feed = try source.map { _ in try ChildFeed() }
        let child = try ChildProcess.startConfined(
            path, ["-v", isQuiet ? "quiet" : "error", "-nostdin", "-y"] + arguments, within: limits, in: folder,
            input: feed?.reading)
        let deadline = ChildDeadline(limits.deadline, of: child)
        defer { _ = deadline.end() }
        let code: Int32
        var failure: (any Error)?
        do {
            if let source, let feed {
                do { try feed.write(source) } catch { failure = error }
                feed.close()
            }
            code = try control.wait { try await child.wait() }
        } catch {
            // The wait didn't begin, so the child still runs.
            child.killAndWait()
            throw error
        }
        try control.check()
        if deadline.end() { throw Self.deadlineFailure(limits) }
        if let failure, code != 0 { throw failure }
        return code
    }

    /// Encodes a media file. Messages call the output `name`.
    func encode(
        _ input: String, as format: TranscodedFormat, to output: String, outputName name: String,
        duration seconds: Double,
        _ control: OperationControl
    ) throws {
        let limits = Confinement.encoding(duration: seconds, bytes: Self.size(of: input), isBackground: false)
        let code = try run(Self.arguments(input, format, output), control, within: limits, isQuiet: false)
        guard code == 0 else { throw Self.failure(name, code) }
    }

    /// Encodes a media file with low priority and reports the progress, from 0 to 1.
    ///
    /// - Throws: ``CommandFailure`` if ffmpeg fails or exceeds its deadline; `CancellationError`, also if the exit code
    ///   shows that a termination signal ended ffmpeg.
    func encode(
        _ input: String, as format: TranscodedFormat, to output: String, outputName name: String,
        duration seconds: Double,
        onProgress: @escaping @Sendable (Double) -> Void
    ) async throws {
        try Task.checkCancellation()
        let pipe = Pipe()
        let writing = pipe.fileHandleForWriting
        // Other child processes must not inherit an end of the pipe.
        for handle in [pipe.fileHandleForReading, writing] { _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC) }
        let limits = Confinement.encoding(duration: seconds, bytes: Self.size(of: input), isBackground: true)
        let child = try ChildProcess.startConfined(
            path, ["-v", "error", "-nostdin", "-y", "-progress", "pipe:1"] + Self.arguments(input, format, output),
            within: limits, output: writing.fileDescriptor)
        let deadline = ChildDeadline(limits.deadline, of: child)
        defer { _ = deadline.end() }
        // The reader sees the end of the output only after all writing descriptors are closed.
        try? writing.close()
        async let code = child.wait()
        try await BlockingOperation.run { Self.read(pipe.fileHandleForReading, duration: seconds, onProgress) }
        let ended = try await code
        try Task.checkCancellation()
        if deadline.end() { throw Self.deadlineFailure(limits) }
        // Service managers send the signal to all processes of the service.
        if Self.signalExitCodes.contains(ended) { throw CancellationError() }
        // After a signal to all processes of a service, the task is cancelled during the wait.
        if ended == Self.ambiguousExitCode { try await Task.sleep(for: cancellationTime) }
        guard ended == 0 else { throw Self.failure(name, ended) }
    }

    /// Reads lines such as `out_time_us=4000000` until the end of the output.
    private static func read(_ handle: FileHandle, duration seconds: Double, _ onProgress: (Double) -> Void) {
        var rest: [UInt8] = []
        while let data = try? handle.read(upToCount: 4096), !data.isEmpty {
            rest += data
            var lines = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            rest = lines.popLast().map(Array.init) ?? []
            for line in lines.map({ String(decoding: $0, as: UTF8.self) }) where line.hasPrefix("out_time_us=") {
                guard let time = Double(line.dropFirst(12)), seconds > 0 else { continue }
                onProgress(min(1, max(0, time / 1e6 / seconds)))
            }
        }
    }

    private static func arguments(_ input: String, _ format: TranscodedFormat, _ output: String) -> [String] {
        Self.input(.file(input)) + format.arguments + ["file:\(output)"]
    }

    private static func size(of path: String) -> Int64 {
        ((try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? NSNumber)?.int64Value ?? 0
    }

    private static func failure(_ name: String, _ code: Int32) -> CommandFailure {
        CommandFailure(.failed, "ffmpeg couldn't encode \(name); its exit code is \(code)")
    }

    private static func deadlineFailure(_ limits: Confinement) -> CommandFailure {
        CommandFailure(
            .failed,
            "ffmpeg ran longer than \(limits.deadline.components.seconds) s and was stopped; the film may be damaged")
    }

    /// An input of ffmpeg.
    enum Input: Sendable, Hashable {
        case file(String)
        case standardInput
    }

    /// The allowed formats: containers and elementary streams, which don't refer to other files. Playlists, manifests,
    /// scripts and image sequences aren't allowed.
    static let formats = [
        "mov", "matroska", "mpegts", "mpeg", "avi", "flv", "ogg", "asf", "wav", "aiff", "caf", "mp3", "aac", "flac",
        "ac3", "eac3", "amr", "ivf", "mxf", "nut", "rm", "h264", "hevc",
    ].joined(separator: ",")

    /// Returns the arguments of an input. ffmpeg can read only that input: no network, and no format that refers to
    /// other files.
    static func input(_ input: Input) -> [String] {
        let (name, scheme) =
            switch input {
            case .file(let path): ("file:\(path)", "file")
            case .standardInput: ("pipe:0", "pipe")
            }
        return ["-format_whitelist", formats, "-protocol_whitelist", scheme, "-i", name]
    }
}
