import Foundation
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// A run of `record` over one connection. It adds the channel and follows it to its end.
struct RecordSession: Sendable {
    var name: ChannelName
    var url: ResourceURL
    /// The request, without header fields and limits.
    var addition: ChannelAddition
    var retention: RetentionOptions
    var header: [HeaderArgument]

    private static let interval = Duration.milliseconds(500)

    /// Adds the channel, and returns its previous and its new state. The previous one is nil for a new channel.
    func begin(_ client: APIClient) async throws -> (before: ChannelRecord?, now: ChannelRecord) {
        let before = try await client.channelIfFound(name)
        var byOrigin = HeaderArgument.byOrigin(header, for: url)
        var addition = addition
        addition.headers = byOrigin.removeValue(forKey: url.origin)
        for (origin, headers) in byOrigin {
            try await client.setHeaderProfile(HeaderProfileUpdate(origin: origin, headers: headers))
        }
        addition.retention = retention.applied(to: before?.retention ?? Retention())
        return (before, try await client.addChannel(of: url, addition))
    }

    /// Records until the end of the stream, the given time, or a signal.
    func run(
        through connection: Connection, showing display: RecordDisplay, until interruption: Interruption
    ) async throws -> RecordOutcome {
        let client = connection.client
        do {
            let (before, now) = try await begin(client)
            if let before, before.gaps > 0, display.lost.count == 0 {
                display.begin(with: try await client.gaps(of: name))
            }
            display.note(address: now.liveURL)
            defer { display.finish() }
            let end = try await interruption.cancelling { try await follow(client, showing: display) }
            if let end {
                // A URL that isn't a stream leaves no channel behind, so that the name can be used for the right URL.
                if before == nil, end.state == .stopped, end.reason != nil { try await client.removeChannel(name) }
                return RecordOutcome(record: end, lost: display.lost, continues: end.isRunning)
            }
            // Ctrl-C stops only a recording that this command started.
            let isOurs = connection.owner == nil || before?.isRunning != true
            var last = now
            if isOurs {
                last = try await client.updateChannel(name, ChannelUpdate(state: .stopped))
            } else {
                last = try await client.channel(name)
            }
            if last.gaps > 0 { try display.show(gaps: try await client.gaps(of: name), of: last) }
            return RecordOutcome(record: last, lost: display.lost, isInterrupted: true, continues: !isOurs)
        } catch let problem as Problem where problem.code == CacheError.Code.closed.rawValue {
            throw OwnerEnded()
        }
    }

    private func follow(_ client: APIClient, showing display: RecordDisplay) async throws -> ChannelRecord {
        try await withThrowingTaskGroup(of: ChannelRecord?.self) { group in
            let name = name
            // Only events contain the reasons for gaps. Since events can be dropped, the gaps are read from the API.
            group.addTask {
                try? await client.events { event in
                    guard event.event == .channelGap, event.channel == name.rawValue else { return }
                    if let track = event.track, let start = event.start, let message = event.message {
                        display.note(reason: message, track: track, start: start)
                    }
                }
                return nil
            }
            group.addTask { try await Self.watch(name, client, display) }
            defer { group.cancelAll() }
            while let done = try await group.next() {
                if let done { return done }
            }
            throw CancellationError()
        }
    }

    private static func watch(
        _ name: ChannelName, _ client: APIClient, _ display: RecordDisplay
    ) async throws -> ChannelRecord {
        var seconds = 0.0
        // A gap is counted at once, but listed only after all earlier segments were received.
        var (isBehind, edge) = (false, nil as Int64?)
        while true {
            guard let record = try await client.channelIfFound(name) else {
                throw CommandFailure(.failed, "the channel \(name) was deleted")
            }
            let isAtEnd = record.gaps > 0 && !record.isRunning
            if record.gapSeconds != seconds || isAtEnd || (isBehind && record.edge != edge) {
                // Give the event with the reason time to arrive.
                try await Task.sleep(for: .milliseconds(50))
                let found = try await client.gaps(of: name)
                try display.show(gaps: found, of: record)
                let listed = found.reduce(into: [:]) { $0[$1.track, default: 0] += $1.duration }.values.max() ?? 0
                (seconds, isBehind, edge) = (record.gapSeconds, listed < record.gapSeconds - 0.001, record.edge)
            }
            try display.show(record)
            guard record.isRunning else { return record }
            try await Task.sleep(for: interval)
        }
    }
}
