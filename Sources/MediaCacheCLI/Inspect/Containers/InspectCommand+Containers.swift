import MediaCache

extension InspectCommand {
    /// Whether it's a URL whose name is a playlist's.
    var isCalledPlaylist: Bool {
        guard let url = source.url else { return false }
        return MediaType.isPlaylist(pathExtension: url.pathExtension.lowercased())
    }

    /// Reports what lies there, if it's a container; else prints nothing.
    ///
    /// - Returns: whether it was.
    func reportContainer() async throws -> Bool {
        // Who gives these expects a playlist, and is told what it is instead.
        guard playlistOptions.isEmpty, source != .standardInput else { return false }
        let inspector = ContainerInspector(
            source: source, initialization: initialization, output: packets ? .packets : json ? .json : .text)
        let inputs = [source, initialization].compactMap(\.self)
        return try await MediaWork.run(on: inputs, origin: origin, cache: cache) { try inspector.report($0) }
    }

    /// Reports a container, where nothing else will do.
    func reportContainerOnly() async throws {
        if isCalledPlaylist, try await reportContainer() { return }
        throw CommandFailure(
            .failed,
            "\(source.name) is no media that can be read; without --packets and --initialization, inspect says what")
    }
}
