public import MediaCache
public import MediaLibrary

extension CacheServer {
    /// Takes channels that a configuration declares as ``start()`` takes those of ``ServerConfiguration/channels``: new ones
    /// are recorded, those that are there get the retention and the header fields that are declared now.
    ///
    /// - Returns: why some couldn't be taken, by name.
    public func declare(_ channels: [ChannelRequest]) async -> [ChannelName: CacheError] {
        var failures: [ChannelName: CacheError] = [:]
        for channel in channels {
            do {
                try await declare(channel)
            } catch let error as CacheError {
                failures[channel.name] = error
            } catch {
                failures[channel.name] = CacheError(.storage, "\(error)")
            }
        }
        return failures
    }
}
