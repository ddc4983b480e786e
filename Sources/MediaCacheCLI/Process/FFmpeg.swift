import Foundation
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

    /// Runs it to its end, or until the work is to end.
    ///
    /// - Parameter arguments: what stands after the options that keep it silent.
    /// - Returns: its exit code.
    func run(_ arguments: [String], _ control: WorkControl, isQuiet: Bool = true) throws -> Int32 {
        try control.check()
        let (path, level) = (path, isQuiet ? "quiet" : "error")
        // It's started within the call that is cancelled: a child that nobody waits for would run on.
        let code = try control.wait {
            try await ChildProcess.start(path, ["-v", level, "-nostdin", "-y"] + arguments).wait()
        }
        try control.check()
        return code
    }

    /// Encodes a film anew.
    ///
    /// - Parameters:
    ///   - film: the path of an MP4.
    ///   - output: the path of the file to make.
    /// - Throws: ``CommandFailure``, naming the file `name`.
    func encode(
        _ film: String, as format: TranscodedFormat, to output: String, called name: String, _ control: WorkControl
    ) throws {
        let code = try run(Self.arguments(film, format, output), control, isQuiet: false)
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
        let child = try ChildProcess.start(
            path, ["-v", "error", "-nostdin", "-y", "-progress", "pipe:1"] + Self.arguments(film, format, output),
            output: writing.fileDescriptor)
        child.yieldToOthers()
        // Else the end of what it tells never comes.
        try? writing.close()
        async let code = child.wait()
        try await BlockingWork.run { Self.read(pipe.fileHandleForReading, lasting: seconds, onProgress) }
        let ended = try await code
        try Task.checkCancellation()
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
        ["-i", film] + format.arguments + [output]
    }

    private static func failure(_ name: String, _ code: Int32) -> CommandFailure {
        CommandFailure(.failed, "ffmpeg couldn't encode \(name): it ended with \(code)")
    }

    /// The arguments for an input: a file names files, what is read by HTTP names nothing of this machine.
    static func input(_ input: String) -> [String] {
        let protocols = input.hasPrefix("http") ? "http,tcp,crypto,data" : "file,crypto,data"
        return ["-protocol_whitelist", protocols, "-i", input]
    }
}
