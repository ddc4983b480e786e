import Foundation
import Testing

@testable import MediaCacheCLI

/// Tests of NetworkManager's answers, with a script in place of `busctl`.
struct NetworkManagerTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    /// Returns a source that runs a script, which writes its arguments to a file.
    private func manager(_ script: String, deadline: Duration? = nil) throws -> NetworkManager {
        let text = "#!/bin/sh\necho \"$@\" >'\(folder.file("call"))'\n\(script)\n"
        return NetworkManager(program: try folder.install(text, as: "busctl"), deadline: deadline)
    }

    @Test(arguments: [
        ("echo 'u 0'", nil), ("echo 'u 1'", true), ("echo 'u 2'", false), ("echo 'u 3'", true), ("echo 'u 4'", false),
        ("echo 'u 5'", nil), ("echo 'u 1'; exit 1", nil), ("echo 'Failed to get property' >&2; exit 1", nil),
        ("exit 0", nil), ("kill -9 $$", nil), ("printf '%1000s' 'u 1'", nil),
    ])
    func readsMeteredProperty(script: String, isMetered: Bool?) async throws {
        #expect(try await manager(script, deadline: .seconds(30)).isMetered() == isMetered)
        let call = try String(contentsOfFile: folder.file("call"), encoding: .utf8)
        #expect(
            call == "--system get-property org.freedesktop.NetworkManager /org/freedesktop/NetworkManager "
                + "org.freedesktop.NetworkManager Metered\n")
    }

    @Test func killsProgramAfterDeadline() async throws {
        #expect(try await manager("sleep 600", deadline: .milliseconds(200)).isMetered() == nil)
    }

    /// A process that the program leaves behind doesn't delay the answer.
    @Test func readsAnswerOfProgramThatLeavesProcess() async throws {
        #expect(try await manager("sleep 600 & echo 'u 1'", deadline: .seconds(30)).isMetered() == true)
    }

    @Test func missingProgramHasNoAnswer() async {
        #expect(await NetworkManager(program: folder.file("missing")).isMetered() == nil)
    }
}
