import MediaLibrary

/// ffmpeg, for what is left to it where it's installed: decoding and encoding.
struct FFmpeg: Sendable {
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

    /// The arguments for an input: a file names files, what is read by HTTP names nothing of this machine.
    static func input(_ input: String) -> [String] {
        let protocols = input.hasPrefix("http") ? "http,tcp,crypto,data" : "file,crypto,data"
        return ["-protocol_whitelist", protocols, "-i", input]
    }
}
