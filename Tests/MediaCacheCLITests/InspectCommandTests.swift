import ArgumentParser
import Testing

@testable import MediaCacheCLI

struct InspectCommandTests {
    @Test(arguments: [
        ["http://h/a.m3u8", "--strict", "--json", "--header", "A: b"], ["a.m3u8", "--base", "https://h/a/"], ["-"],
        ["http://h/a", "--proxy", "http://p:1", "--ca-file", "ca.pem"],
        ["a.m3u8", "--define", "a=b", "--define", "c-1_D=", "--multivariant", "b.m3u8"],
        ["a.m3u8", "--multivariant", "http://h/b.m3u8", "--proxy", "http://p:1"],
    ])
    func acceptsValidArguments(arguments: [String]) {
        #expect(CommandLineTests.exitCode(["inspect"] + arguments) == nil)
    }

    @Test(arguments: [
        [], ["ftp://h/a"], ["a.m3u8", "--base", "b/"], ["a.m3u8", "--header", "https://h A: b"],
        ["-", "--proxy", "http://p:1"], ["http://h/a", "--max-object-size", "1GB"], ["a.m3u8", "b.m3u8"],
        ["a.m3u8", "--define", "a"], ["a.m3u8", "--define", "=b"], ["a.m3u8", "--define", "a b=c"],
        ["-", "--multivariant", "-"],
    ])
    func rejectsInvalidArgumentsWithCode64(arguments: [String]) {
        #expect(CommandLineTests.exitCode(["inspect"] + arguments) == 64)
    }

    @Test func helpListsOnlySupportedOptions() {
        let help = MediaCacheCommand.helpMessage(for: InspectCommand.self)
        #expect(!help.contains("--max-object-size"))
        #expect(help.contains("--define"))
        #expect(MediaCacheCommand.helpMessage(for: ServeCommand.self).contains("--max-object-size"))
    }

    @Test func helpContainsKeys() {
        for key in ["unknownTags", "iFrameVariants", "renditionReports", "otherAttributes"] {
            #expect(InspectCommand.configuration.discussion.contains(key), "\(key)")
        }
    }
}
