import ArgumentParser
import MediaCacheAPI
import MediaCacheServer

/// `mediacache manual`, for packaging.
struct ManualCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "manual",
        abstract: "Prints the manual page, for man(1).",
        discussion: """
            EXAMPLES:
              mediacache manual > /usr/local/share/man/man1/mediacache.1
              mediacache manual | man -l -
            """,
        shouldDisplay: false
    )

    func run() async throws {
        let root = try CommandHelp(dump: MediaCacheCommand._dumpHelp())
        try StandardStreams.write(ManualPage(root: root, version: CacheServer.version).text)
    }
}
