import ArgumentParser
import MediaLibrary
import Testing

@testable import MediaCacheCLI

struct CommandLineTests {
    /// Returns the exit code for invalid arguments; nil for valid ones.
    static func exitCode(_ arguments: [String]) -> Int32? {
        do {
            _ = try MediaCacheCommand.parseAsRoot(arguments)
            return nil
        } catch {
            return MediaCacheCommand.exitCode(for: error).rawValue
        }
    }

    @Test(arguments: [
        ["get", "ftp://h/x"], ["get"], ["remove"], ["remove", "--all", "http://h/"],
        ["remove", "--pinned", "http://h/"],
        ["list", "--complete", "--partial"], ["serve", "--port", "65536"], ["serve", "--max-age", "30"],
        ["serve", "--max-size", "10XB"], ["play", "http://h/", "--with", "quicktime"], ["demo", "--rate", "0"],
        ["list", "--log-level", "loud"], ["nothing"], ["faststart", "a.mp4"],
        ["faststart", "a.mp4", "b.mp4", "--proxy", "http://p:1"], ["get", "--variant", "large", "http://h/"],
        ["get", "--jobs", "0", "http://h/"], ["get", "--transfers", "1001", "http://h/"],
        ["get", "--limit-rate", "0", "http://h/"], ["play", "ftp://h/"], ["info"], ["settings", "--jobs", "0"],
        ["preload"], ["preload", "--seconds", "1", "--bytes", "1", "http://h/"], ["preload", "--segments", "-1", "a"],
        ["preload", "ftp://h/"],
        ["settings", "--hours", "7"], ["settings", "--limit-class-rate", "films=1MB/s"],
        ["get", "--audio", "d e!", "http://h/"], ["downloads", "pause"],
        ["downloads", "pause", "--all", "One"], ["downloads", "prioritize", "One"],
        ["downloads", "cancel", "ftp://h/"], ["record", "http://h/", "--name", "a b"],
        ["record", "http://h/", "--name", "a", "--for", "1h", "--until", "now"],
        ["record", "http://h/", "--name", "a", "--keep", "0s"], ["record", "http://h/", "--name", "a", "--for", "0"],
        ["channels", "stop"], ["channels", "keep", "a", "--keep-segments", "x"],
        ["channels", "programmes", "a", "--add", "P", "--from", "now"],
        ["channels", "programmes", "a", "--from", "-60", "--to", "now"],
        ["channels", "programmes", "a", "--add", "P", "--from", "-60", "--to", "now", "--format", "avi"],
        ["channels", "programmes", "a", "--export", "x"], ["channels", "programmes", "a", "--format", "mp4"],
        ["channels", "programmes", "a", "--export", "x", "--cancel", "x", "--format", "mp4"],
        ["export", "a", "--from", "soon", "-o", "a.mp4"], ["export", "a", "--from", "20", "--to", "10", "-o", "a.mp4"],
        ["serve", "--channel", "news"], ["serve", "--channel", "news=ftp://h/"],
    ])
    func rejectsInvalidArgumentsWithCode64(arguments: [String]) {
        #expect(Self.exitCode(arguments) == 64)
    }

    @Test(arguments: [
        ["get", " http://h/x\n", "-o", "f", "--force"], ["list", "--json"], ["remove", "--all", "--pinned"],
        [
            "serve", "--port", "0", "--max-size", "none", "--max-age", "30d", "--min-free", "1GB", "--drop-query",
            "token",
        ],
        ["play", "http://h/", "--with", "mpv", "--", "--fs"], ["demo", "--rate", "600kB/s", "--reset"],
        ["play", "news"], ["url", "A film", "--mp4"], ["info", "17"], ["cover", "A film", "--remove"],
        ["get", "A film", "http://h/"], ["doctor", "A film"], ["record", "A stream"], ["inspect", "A film"],
        ["remux", "A film", "-o", "a.mp4"], ["faststart", "A film", "a.mp4", "--proxy", "http://p:1"],
        ["preload", "http://h/", "A film"], ["preload", "--seconds", "1:30", "--variant", "720", "http://h/"],
        ["preload", "--input-file", "-", "--bytes", "5MB", "--json"], ["preload", "--segments", "2", "http://h/"],
        ["settings"], ["settings", "--max-size", "20GB", "--hours", "any", "--no-only-unmetered", "--json"],
        ["settings", "--limit-rate", "none", "--limit-class-rate", "recording=none", "--retries", "0"],
        ["verify", "--repair"], ["usage"], ["prune", "--max-size", "1GB"], ["url", "http://h/"], ["info", "http://h/"],
        ["faststart", "a.mp4", "b.mp4", "--force"], ["faststart", "http://h/a.mp4", "b/", "--proxy", "http://p:1"],
        ["get", "http://h/", "http://i/", "--variant", "720", "--audio", "de,en", "--subs", "none", "--jobs", "2"],
        ["get", "--input-file", "-", "--transfers", "4", "--limit-rate", "2M", "--json"],
        ["downloads"], ["downloads", "--json"],
        ["downloads", "pause", "--all"], ["downloads", "resume", "One", "http://h/"],
        ["downloads", "cancel", "--keep", "One"], ["downloads", "prioritize", "One", "5"], ["downloads", "watch"],
        ["record", "http://h/"], ["record", "http://h/", "--name", "a"],
        [
            "record", "http://h/", "--name", "a", "--variant", "720", "--audio", "all", "--subtitles", "none", "--keep",
            "24h", "--max-size", "50GB", "--keep-segments", "100", "--keep-free", "none", "--for", "2h", "--json",
        ],
        ["record", "http://h/", "--name", "a", "--until", "2030-01-31T20:15:00Z", "--detach"],
        ["channels"], ["channels", "--json"], ["channels", "start", "a"], ["channels", "stop", "a"],
        ["channels", "end", "a"], ["channels", "remove", "a"], ["channels", "keep", "a", "--keep", "none"],
        ["channels", "gaps", "a", "--json"], ["channels", "programmes", "a", "--delete", "x"],
        ["channels", "programmes", "a", "--add", "P", "--from", "-60", "--to", "now"],
        ["channels", "programmes", "a", "--export", "x", "--format", "mp4", "--format", "3gp"],
        ["channels", "programmes", "a", "--cancel", "x"],
        ["export", "a", "--from", "-60", "--to", "now", "-o", "a.mp4"],
        ["export", "a", "--from", "2030-01-31T20:15:00Z", "--to", "1900000000000", "-o", "a.m4a"],
        ["serve", "--channel", "news=http://h/?a=b", "--channel", "b=http://h/", "--config", "c.json"],
    ])
    func acceptsValidArguments(arguments: [String]) {
        #expect(Self.exitCode(arguments) == nil)
    }

    @Test(arguments: [
        (["gett", "http://h/x"], "“gett” is not a command of `mediacache`; did you mean `mediacache get`?"),
        (
            ["channels", "stpo", "news"],
            "“stpo” is not a command of `mediacache channels`; did you mean `mediacache channels stop`?"
        ),
        (["xyzxyzxyz"], "“xyzxyzxyz” is not a command of `mediacache`; `mediacache --help` lists the commands"),
    ])
    func suggestsNearestCommand(arguments: [String], message: String) {
        #expect(Self.exitCode(arguments) == 64)
        #expect(UnknownCommand.failure(of: arguments) == CommandFailure(.usage, message))
    }

    @Test(arguments: [["get"], ["ls", "--json", "x"], ["--versoin"], ["downloads", "--jsno"], ["help", "get"]])
    func suggestsNothingForExistingCommands(arguments: [String]) {
        #expect(UnknownCommand.failure(of: arguments) == nil)
    }

    /// The first name is that of the same option of other commands.
    @Test(arguments: ["--gaps", "--skip-missing"]) func remuxLeavesGaps(option: String) throws {
        let arguments = ["remux", "a.ts", "-o", "a.mp4"]
        let without = try #require(try MediaCacheCommand.parseAsRoot(arguments) as? RemuxCommand)
        let with = try #require(try MediaCacheCommand.parseAsRoot(arguments + [option]) as? RemuxCommand)
        #expect(!without.gaps && with.gaps)
    }

    @Test(arguments: ["--subs", "--subtitles"]) func getSelectsSubtitles(option: String) throws {
        let command = try MediaCacheCommand.parseAsRoot(["get", "http://h/", option, "de,fr?"])
        let subtitles = try #require(command as? GetCommand).selection.subs
        #expect(subtitles.languages == .some(["de", "fr"]) && subtitles.required == ["de"])
    }

    @Test func errorContainsUnsupportedScheme() {
        do {
            _ = try MediaCacheCommand.parseAsRoot(["get", "ftp://h/x"])
            Issue.record("an ftp URL was accepted")
        } catch {
            #expect(MediaCacheCommand.message(for: error).contains("“ftp”"))
        }
    }
}
