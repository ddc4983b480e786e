import Testing

@testable import MediaCacheCLI

struct PlayerTests {
    @Test func eachPlayerEndsWithTheMedia() {
        #expect(Player.mpv.arguments(for: "u", extra: ["--fs"]) == ["--fs", "--", "u"])
        #expect(Player.vlc.arguments(for: "u", extra: []) == ["--play-and-exit", "u"])
        #expect(Player.ffplay.arguments(for: "u", extra: []) == ["-hide_banner", "-autoexit", "u"])
    }
}
