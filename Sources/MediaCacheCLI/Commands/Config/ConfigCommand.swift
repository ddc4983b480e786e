import ArgumentParser

/// `mediacache config`.
struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Shows the effective settings and their sources, and checks the configuration file.",
        discussion: """
            EXAMPLES:
              mediacache config show                      all settings and their sources
              mediacache config show --port 80            the settings of `serve --port 80`
              mediacache config check config.json         check a file
              mediacache config path                      the path of the file

            A setting has one name in three spellings: --allowed-host on the command line, MEDIACACHE_ALLOWED_HOST in the \
            environment, "allowedHost" in the file. The command line takes precedence over the environment, the \
            environment over the file, and the file over values stored by `settings`. A list is a JSON array in the \
            file, and separated by commas in the environment (header fields by line breaks). The variable of the cache \
            folder is MEDIACACHE_DIR.
            The file is --config, $MEDIACACHE_CONFIG, $XDG_CONFIG_HOME/mediacache/config.json (~/.config if that isn't \
            set), or /etc/mediacache/config.json. Only the first of these that is set or exists is read. All \
            commands use its settings, such as the cache folder and the proxy, but its limits of size and age apply \
            only to `serve` and `prune`.

              {"cache": "/srv/media", "maxSize": "500GB", "maxAge": "none",
               "allowedHost": ["tv.example.org"],
               "header": ["https://media.example.org Authorization: Bearer abc"],
               "channels": [{"name": "news", "keep": "24h",
                             "url": "https://example.org/live.m3u8"}]}
            """,
        subcommands: [ConfigShowCommand.self, ConfigCheckCommand.self, ConfigPathCommand.self],
        defaultSubcommand: ConfigShowCommand.self
    )
}
