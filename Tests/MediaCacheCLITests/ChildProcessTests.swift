import Foundation
import Testing

@testable import MediaCacheCLI

/// One after another: the signals are the whole process's.
@Suite(.serialized)
struct ChildProcessTests {
    @Test(
        arguments: [("exit 0", 0), ("exit 3", 3), ("kill -TERM $$", 143), ("kill -INT $$; sleep 5", 130)]
            as [(String, Int32)])
    func passesTheExitCodeOn(script: String, code: Int32) async throws {
        let interruption = Interruption()
        let child = try ChildProcess.start("/bin/sh", ["-c", script])
        #expect(try await child.wait(forwardingTo: interruption) == code)
    }

    @Test func argumentsArriveAsTheyAre() async throws {
        let child = try ChildProcess.start("/bin/sh", ["-c", "test \"$1\" = 'a b;$HOME' && exit 7", "sh", "a b;$HOME"])
        #expect(try await child.wait(forwardingTo: Interruption()) == 7)
    }

    /// As a server's sockets are: a child would hold their port.
    @Test func aChildHasNothingOpenButItsStreams() async throws {
        let file = try FileHandle(forReadingFrom: URL(filePath: "/dev/null"))
        #expect(fcntl(file.fileDescriptor, F_SETFD, 0) == 0)
        let script = "test -e /dev/fd/2 || exit 2; test -e /dev/fd/\(file.fileDescriptor)"
        let child = try ChildProcess.start("/bin/sh", ["-c", script])
        #expect(try await child.wait() == 1)
        try file.close()
    }

    @Test func aProgramThatIsNotThereIsNamed() {
        let failure = #expect(throws: CommandFailure.self) { try ChildProcess.start("/no/such/player", []) }
        #expect(failure?.exitCode == 1)
        #expect(failure?.message.contains("/no/such/player") == true)
    }

    @Test func waitingForASignalEndsWithItsTask() async {
        let interruption = Interruption()
        let task = Task { await interruption.wait() }
        task.cancel()
        #expect(await task.value == nil)
    }

    @Test func workWithoutASignalReturnsItsValue() async throws {
        #expect(try await Interruption().cancelling { 5 } == 5)
    }

    @Test func workThatThrowsThrows() async {
        await #expect(throws: CommandFailure(.failed, "x")) {
            try await Interruption().cancelling { throw CommandFailure(.failed, "x") }
        }
    }
}
