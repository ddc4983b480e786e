import Foundation
import MediaContainers
import MediaLibrary

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// ffmpeg, for what is left to it where it's installed: decoding and encoding.
struct FFmpeg: Sendable {
    /// How it ends where somebody asks it to (SIGINT, SIGTERM).
    private static let endingsBySignal: Set<Int32> = [130, 143, 255]
    private let path: String

    /// Whether it's there.
    static var isInstalled: Bool { InstalledProgram.path(of: "ffmpeg") != nil }

    /// The program that is installed.
    ///
    /// - Parameter reason: why it's needed, for the message where it isn't there.
    /// - Throws: ``CommandFailure`` that says how to get it.
    init(for reason: String) throws {
        guard let path = InstalledProgram.path(of: "ffmpeg") else {
            throw CommandFailure(
                .failed,
                "\(reason), and ffmpeg, which can do it, isn't in $PATH; install it (apt-get install ffmpeg, or "
                    + "brew install ffmpeg)")
        }
        self.path = path
    }

    /// Runs it until its end, its deadline, or the end of the work.
    ///
    /// - Parameters:
    ///   - arguments: the arguments after those that keep it silent.
    ///   - limits: what it may use.
    ///   - folder: its working directory.
    ///   - source: the bytes that it reads from its standard input, as far as it reads them.
    /// - Returns: its exit code.
    /// - Throws: ``CommandFailure`` if it can't be started or its time is over; `CancellationError`; the source's error
    ///   if it failed without it.
    func run(
        _ arguments: [String], _ control: WorkControl, within limits: Confinement = .frame, in folder: String? = nil,
        feeding source: (any MediaContainers.ByteSource)? = nil, isQuiet: Bool = true
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
            try control.check()
        } catch {
            // A wait that never began leaves the child running.
            child.killAndWait()
            throw error
        }
        if deadline.end() { throw Self.overdue(limits) }
        if let failure, code != 0 { throw failure }
        return code
    }

    /// Encodes a film.
    ///
    /// - Parameters:
    ///   - film: the path of an MP4.
    ///   - output: the path of the file to make.
    ///   - seconds: the film's duration.
    /// - Throws: ``CommandFailure``, naming the file `name`.
    func encode(
        _ film: String, as format: TranscodedFormat, to output: String, called name: String, lasting seconds: Double,
        _ control: WorkControl
    ) throws {
        let limits = Confinement.encoding(lasting: seconds, bytes: Self.size(of: film), isBackground: false)
        let code = try run(Self.arguments(film, format, output), control, within: limits, isQuiet: false)
        guard code == 0 else { throw Self.failure(name, code) }
    }

    /// The same in no hurry, for who wants to know how far it is.
    ///
    /// - Parameters:
    ///   - seconds: how long the film lasts.
    ///   - onProgress: gets how much of it is done, from 0 to 1.
    /// - Throws: ``CommandFailure``, naming the file `name`; `CancellationError`.
    func encode(
        _ film: String, as format: TranscodedFormat, to output: String, called name: String, lasting seconds: Double,
        onProgress: @escaping @Sendable (Double) -> Void
    ) async throws {
        try Task.checkCancellation()
        let pipe = Pipe()
        let writing = pipe.fileHandleForWriting
        // Another child that had an end of it would keep it open.
        for handle in [pipe.fileHandleForReading, writing] { _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC) }
        let limits = Confinement.encoding(lasting: seconds, bytes: Self.size(of: film), isBackground: true)
        let child = try ChildProcess.startConfined(
            path, ["-v", "error", "-nostdin", "-y", "-progress", "pipe:1"] + Self.arguments(film, format, output),
            within: limits, output: writing.fileDescriptor)
        let deadline = ChildDeadline(limits.deadline, of: child)
        defer { _ = deadline.end() }
        // Else the end of what it tells never comes.
        try? writing.close()
        async let code = child.wait()
        try await BlockingWork.run { Self.read(pipe.fileHandleForReading, lasting: seconds, onProgress) }
        let ended = try await code
        try Task.checkCancellation()
        if deadline.end() { throw Self.overdue(limits) }
        // By Ctrl-C, or by who ends services: the one that is meant is this process.
        if Self.endingsBySignal.contains(ended) { throw CancellationError() }
        guard ended == 0 else { throw Self.failure(name, ended) }
    }

    /// Reads what it tells to its end: lines such as `out_time_us=4000000`.
    private static func read(_ handle: FileHandle, lasting seconds: Double, _ onProgress: (Double) -> Void) {
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

    private static func arguments(_ film: String, _ format: TranscodedFormat, _ output: String) -> [String] {
        input(.file(film)) + format.arguments + ["file:\(output)"]
    }

    private static func size(of path: String) -> Int64 {
        ((try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? NSNumber)?.int64Value ?? 0
    }

    private static func failure(_ name: String, _ code: Int32) -> CommandFailure {
        CommandFailure(.failed, "ffmpeg couldn't encode \(name): it ended with \(code)")
    }

    private static func overdue(_ limits: Confinement) -> CommandFailure {
        CommandFailure(
            .failed,
            "ffmpeg ran longer than \(limits.deadline.components.seconds) s and was stopped; the film may be damaged")
    }

    /// The source of a film's bytes.
    enum Input: Sendable, Hashable {
        /// A file, by its path.
        case file(String)
        /// The standard input.
        case standardInput
    }

    /// The formats that may be read: containers and elementary streams of media, which name nothing outside themselves.
    /// Playlists, manifests, scripts and image sequences aren't among them.
    private static let formats = [
        "mov", "matroska", "mpegts", "mpeg", "avi", "flv", "ogg", "asf", "wav", "aiff", "caf", "mp3", "aac", "flac",
        "ac3", "eac3", "amr", "ivf", "mxf", "nut", "rm", "h264", "hevc",
    ].joined(separator: ",")

    /// Returns the arguments for an input, which is all that ffmpeg may read: no network, and no format that refers to
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
