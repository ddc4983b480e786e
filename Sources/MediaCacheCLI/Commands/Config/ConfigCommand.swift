import ArgumentParser

/// `mediacache config`.
struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Shows which settings hold and who says so, and checks the configuration file.",
        discussion: """
              mediacache config show                      every setting, its value, and where that comes from
              mediacache config show --port 80            as `serve --port 80` would have it
              mediacache config check config.json         what is wrong with a file, if anything
              mediacache config path                      which file is read

            A setting has one name, written in the way of each place: --allowed-host on the command line, \
            MEDIACACHE_ALLOWED_HOST in the environment, "allowedHost" in the file. The command line goes before the \
            environment, that before the file. A list is a JSON array in the file, and divided by commas in the \
            environment (header fields by line breaks). Where the environment names the cache folder it's \
            MEDIACACHE_DIR.
            The file is the one of --config, else of $MEDIACACHE_CONFIG, else $XDG_CONFIG_HOME/mediacache/config.json \
            (~/.config where that isn't set), else /etc/mediacache/config.json. Only one is read. All commands take \
            the cache folder, the proxy and the like from it, so that they find what the server keeps; limits are the \
            server's and of `prune` alone.

              {"cache": "/srv/media", "maxSize": "500GB", "maxAge": "none", "allowedHost": ["tv.example.org"],
               "header": ["https://media.example.org Authorization: Bearer abc"],
               "channels": [{"name": "news", "url": "https://example.org/live.m3u8", "keep": "24h"}]}
            """,
        subcommands: [ConfigShowCommand.self, ConfigCheckCommand.self, ConfigPathCommand.self],
        defaultSubcommand: ConfigShowCommand.self
    )
}
