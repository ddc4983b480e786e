import Foundation
import Testing

@testable import MediaCacheCLI

/// The suite is serialized because an ``Interruption`` changes the signal handlers of the whole process.
@Suite(.serialized)
struct ChildProcessTests {
    @Test(
        arguments: [("exit 0", 0), ("exit 3", 3), ("kill -TERM $$", 143), ("kill -INT $$; sleep 5", 130)]
            as [(String, Int32)])
    func returnsExitCode(script: String, code: Int32) async throws {
        let interruption = Interruption()
        let child = try ChildProcess.start("/bin/sh", ["-c", script])
        #expect(try await child.wait(forwardingTo: interruption) == code)
    }

    /// The signal ends the child although this process handles it. On Apple systems, this process therefore ignores the
    /// signal, and a child would inherit that. If this process was started with the signal ignored, the child ignores
    /// it, too.
    @Test func hangUpEndsChild() async throws {
        let interruption = Interruption(includingHangUps: true)
        let child = try ChildProcess.start("/bin/sh", ["-c", "kill -HUP $$; exit 3"])
        #expect(try await child.wait(forwardingTo: interruption) == (HangUps.areIgnored ? 3 : 129))
    }

    @Test func passesArgumentsUnchanged() async throws {
        let child = try ChildProcess.start("/bin/sh", ["-c", "test \"$1\" = 'a b;$HOME' && exit 7", "sh", "a b;$HOME"])
        #expect(try await child.wait(forwardingTo: Interruption()) == 7)
    }

    /// A child that inherits a server's sockets would keep the port in use.
    @Test func childInheritsOnlyStandardStreams() async throws {
        let file = try FileHandle(forReadingFrom: URL(filePath: "/dev/null"))
        #expect(fcntl(file.fileDescriptor, F_SETFD, 0) == 0)
        let script = "test -e /dev/fd/2 || exit 2; test -e /dev/fd/\(file.fileDescriptor)"
        let child = try ChildProcess.start("/bin/sh", ["-c", script])
        #expect(try await child.wait() == 1)
        try file.close()
    }

    private static let limits = Confinement(
        deadline: .seconds(60), processorSeconds: 7, fileBytes: 8192, memoryBytes: 1 << 30, openFiles: 40)

    /// Runs a confined script. Returns its exit code, its output, and whether it passed the deadline.
    private func output(
        _ script: String, _ limits: Confinement = limits, in folder: String? = nil
    ) async throws -> (code: Int32, text: String, isOverdue: Bool) {
        let pipe = Pipe()
        let child = try ChildProcess.startConfined(
            "/bin/sh", ["-c", script], within: limits, in: folder, output: pipe.fileHandleForWriting.fileDescriptor)
        try pipe.fileHandleForWriting.close()
        let deadline = ChildDeadline(limits.deadline, of: child)
        let code = try await child.wait()
        // The pipe ends when no process has the write end open.
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        return (code, String(decoding: data, as: UTF8.self), deadline.end())
    }

    @Test func confinedProgramHasMinimalEnvironmentAndNoDescriptors() async throws {
        // The parent's HOME must not be inherited by the child.
        #expect(ProcessInfo.processInfo.environment["HOME"] != nil)
        let file = try FileHandle(forReadingFrom: URL(filePath: "/dev/null"))
        #expect(fcntl(file.fileDescriptor, F_SETFD, 0) == 0)
        let folder = try TestFolder()
        let script = "env; pwd; test -e /dev/fd/\(file.fileDescriptor) && echo open; cat"
        let (code, text, _) = try await output(script, in: folder.path)
        try file.close()
        #expect(code == 0)
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines.contains("TMPDIR=\(folder.path)") && lines.contains(folder.path) && !lines.contains("open"))
        let names = Set(lines.filter { $0.contains("=") }.map { String($0.prefix { $0 != "=" }) })
        // Shells add PWD. Some also add OLDPWD, SHLVL and _.
        let known = names.subtracting(["PATH", "LANG", "TMPDIR", "PWD", "OLDPWD", "SHLVL", "_"])
        #expect(known.allSatisfy { $0.hasPrefix("LC_") }, "\(known)")
    }

    @Test func confinedEnvironmentHasNoSettings() {
        let environment = ChildEnvironment.confined(
            temporary: "/t",
            [
                "PATH": "/bin", "LC_ALL": "C", "HOME": "/h", "DISPLAY": ":0",
                "MEDIACACHE_HEADER": "Authorization: x", "MEDIACACHE_PROXY": "http://u:p@h",
            ])
        #expect(Set(environment.keys).isSubset(of: ["PATH", "LANG", "LC_ALL", "TMPDIR"]), "\(environment)")
        #expect(environment["PATH"] == "/bin" && environment["TMPDIR"] == "/t")
    }

    @Test func sessionEnvironmentHasNoSettings() {
        let session = ChildEnvironment.session([
            "DISPLAY": ":0", "MEDIACACHE_HEADER": "Authorization: x", "MEDIACACHE_PROXY": "http://u:p@h", "HOME": "/h",
        ])
        #expect(session == ["DISPLAY": ":0", "HOME": "/h"])
    }

    @Test func confinedProgramHasLimits() async throws {
        let folder = try TestFolder()
        let (_, limits, _) = try await output("ulimit -t; ulimit -v; ulimit -n; ulimit -c; umask", in: folder.path)
        #expect(limits.split(separator: "\n").map(String.init) == ["7", "\(1 << 20)", "40", "0", "0077"])
        let (code, _, _) = try await output("head -c 20000 /dev/zero > large; exit 3", in: folder.path)
        #expect(code != 0)
        #expect(FileManager.default.contents(atPath: folder.file("large"))?.count ?? 0 <= 8192)
    }

    @Test func deadlineKillsWholeGroup() async throws {
        var limits = Self.limits
        limits.deadline = .milliseconds(100)
        let (code, _, isOverdue) = try await output("sleep 1000 & sleep 1000 & wait", limits)
        #expect(code == 128 + SIGKILL && isOverdue)
    }

    @Test func programEndStopsGroup() async throws {
        let (code, text, isOverdue) = try await output("sleep 1000 & echo done")
        #expect(code == 0 && text == "done\n" && !isOverdue)
    }

    @Test func errorContainsPathOfMissingProgram() {
        let failure = #expect(throws: CommandFailure.self) { try ChildProcess.start("/no/such/player", []) }
        #expect(failure?.exitCode == 1)
        #expect(failure?.message.contains("/no/such/player") == true)
        let other = #expect(throws: CommandFailure.self) {
            try ChildProcess.startConfined("/no/such/ffmpeg", [], within: Self.limits)
        }
        #expect(other?.message.contains("No such file") == true)
    }

    @Test func cancellationEndsWaitForSignal() async {
        let interruption = Interruption()
        let task = Task { await interruption.wait() }
        task.cancel()
        #expect(await task.value == nil)
    }

    @Test func returnsValueWithoutSignal() async throws {
        #expect(try await Interruption().cancelling { 5 } == 5)
    }

    @Test func rethrowsErrors() async {
        await #expect(throws: CommandFailure(.failed, "x")) {
            try await Interruption().cancelling { throw CommandFailure(.failed, "x") }
        }
    }
}
