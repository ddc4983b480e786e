import Foundation
import HTTPTypes
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// `/api/v1/channels`: `GET` and `POST` for the list; `GET`, `PATCH` and `DELETE` for a channel; `GET` for its
/// `timeline` and `gaps`; `GET` and `POST` for its `programmes`; `GET` and `DELETE` for a programme; `POST` and
/// `DELETE` for its `exports` by format.
struct ChannelsRoute: Route {
    static let path = "/api/v1/channels"
    /// The maximum number of segments in a response if the request sets none: several hours of one track.
    private static let maximumTimelineLength = 10_000

    let paths = [ChannelsRoute.path, ChannelsRoute.path + "/"]
    let access = RouteAccess.key
    let store: CacheStore
    let recordings: Recordings?
    let profiles: HeaderProfileStore
    let urls: ServerURLs

    func respond(to request: RouteRequest) async throws -> RouteResponse {
        guard let recordings else {
            try store.requireWritableFolder()
            throw Problem.downloadsDisabled
        }
        let parts = request.path.dropFirst(Self.path.utf8.count).split(separator: "/").map(String.init)
        guard let first = parts.first else { return try await respondForAll(request, recordings) }
        guard let name = ChannelName(rawValue: first) else { throw Problem.notFound("there is no channel “\(first)”") }
        switch (parts.count, parts.dropFirst().first) {
        case (1, _): return try await respondForOne(request, name, recordings)
        case (2, "timeline"): return try await timeline(request, name, recordings, gapsOnly: false)
        case (2, "gaps"): return try await timeline(request, name, recordings, gapsOnly: true)
        case (2, "programmes"): return try await programmes(request, name, recordings)
        case (3, "programmes"): return try await respondForProgramme(request, parts[2], name, recordings)
        case (5, "programmes") where parts[3] == "exports":
            return try await respondForExport(request, try Self.formats([parts[4]])[0], of: parts[2], name, recordings)
        default: throw Problem.unknownPath
        }
    }

    private func respondForAll(_ request: RouteRequest, _ recordings: Recordings) async throws -> RouteResponse {
        switch request.method {
        case .get, .head:
            let page = try Page(await recordings.statuses(), of: PageRequest(request)) { $0.channel.name.rawValue }
            return try .json(ChannelList(channels: try page.items.map(record), next: page.next), of: request)
        case .post:
            let addition = try request.decode(ChannelAddition.self)
            guard let name = ChannelName(rawValue: addition.name) else {
                throw Problem.badRequest(
                    "“\(addition.name)” isn't a channel name; use 1 to 64 ASCII letters, digits, dots, hyphens "
                        + "and underscores, not beginning with a dot")
            }
            let url = try ResourceURL(addition.url)
            _ = try HTTPFields(requested: addition.headers ?? [:])
            let exists = recordings.recording(name) != nil
            let selection = try StreamSelection(
                DownloadAddition(
                    url: addition.url, variant: addition.variant, audio: addition.audio ?? "all",
                    subtitles: addition.subtitles))
            // The URL and the selection of an existing channel can't be changed, and an ended one can't be resumed.
            _ = try await reportingInvalidSettings(as: Problem.conflict) {
                try await recordings.add(
                    ChannelRequest(
                        name: name, url: url, identity: try await profiles.identity(for: url, in: store),
                        headers: addition.headers ?? [:], selection: selection,
                        retention: try checked(addition.retention ?? Retention()), endsAt: addition.endsAt,
                        endsWithStream: addition.endsWithStream ?? true, starts: !(addition.stopped ?? false)))
            }
            return try .json(try record(try await recordings.status(of: name)), status: exists ? 200 : 201)
        default: throw request.methodNotAllowed(.get, .post)
        }
    }

    private func respondForOne(
        _ request: RouteRequest, _ name: ChannelName, _ recordings: Recordings
    ) async throws -> RouteResponse {
        switch request.method {
        case .get, .head: break
        case .patch:
            let update = try request.decode(ChannelUpdate.self)
            if let retention = update.retention { try await recordings.setRetention(try checked(retention), of: name) }
            _ = try await reportingInvalidSettings(as: Problem.conflict) {
                switch update.state {
                case .recording: try await recordings.start(name)
                case .stopped: try await recordings.stop(name)
                case .ended: try await recordings.end(name)
                case nil: break
                }
            }
        case .delete:
            try await recordings.remove(name)
            return RouteResponse(status: 204)
        default: throw request.methodNotAllowed(.get, .patch, .delete)
        }
        return try .json(try record(try await recordings.status(of: name)))
    }

    private func programmes(
        _ request: RouteRequest, _ name: ChannelName, _ recordings: Recordings
    ) async throws -> RouteResponse {
        switch request.method {
        case .get, .head:
            return try .json(ProgrammeList(programmes: try record(try await recordings.status(of: name)).programmes))
        case .post:
            let addition = try request.decode(ProgrammeAddition.self)
            guard let recording = recordings.recording(name) else {
                throw Problem.notFound("there is no channel \(name)")
            }
            let now = recording.streamTime
            let programme = Programme(
                name: addition.name, from: try Self.date(addition.from, "from", now),
                to: try Self.date(addition.to, "to", now), formats: try Self.formats(addition.formats ?? []))
            _ = try await reportingInvalidSettings { try await recordings.addProgramme(programme, to: name) }
            return try .json(try await record(of: programme, name, recordings), status: 201)
        default: throw request.methodNotAllowed(.get, .post)
        }
    }

    private func record(
        of programme: Programme, _ name: ChannelName, _ recordings: Recordings
    ) async throws -> ProgrammeRecord {
        let ranges = try await recordings.status(of: name).recordedRanges.map { TimeSpan($0) }
        return ProgrammeRecord(programme, recordedRanges: ranges, base: try urls.liveURL(of: name))
    }

    private func respondForProgramme(
        _ request: RouteRequest, _ id: String, _ name: ChannelName, _ recordings: Recordings
    ) async throws -> RouteResponse {
        switch request.method {
        case .get, .head:
            let programmes = try await recordings.status(of: name).channel.programmes
            guard let programme = programmes.first(where: { $0.id == id }) else {
                throw Problem.notFound("the channel \(name) has no programme \(id)")
            }
            return try .json(try await record(of: programme, name, recordings))
        case .delete:
            try await recordings.removeProgramme(id, from: name)
            return RouteResponse(status: 204)
        default: throw request.methodNotAllowed(.get, .delete)
        }
    }

    private func respondForExport(
        _ request: RouteRequest, _ format: ProgrammeFormat, of id: String, _ name: ChannelName,
        _ recordings: Recordings
    ) async throws -> RouteResponse {
        switch request.method {
        case .post:
            let (programme, isNew) = try await recordings.export(id, of: name, as: format)
            return try .json(try await record(of: programme, name, recordings), status: isNew ? 201 : 200)
        case .delete:
            try await recordings.removeExport(format, of: id, in: name)
            return RouteResponse(status: 204)
        default: throw request.methodNotAllowed(.post, .delete)
        }
    }

    private static func formats(_ names: [String]) throws -> [ProgrammeFormat] {
        try names.map { name in
            guard let format = ProgrammeFormat(rawValue: name) else {
                let available = ProgrammeFormat.allCases.map(\.rawValue).joined(separator: ", ")
                throw Problem.badRequest("“\(name)” isn't an export format; the formats are \(available)")
            }
            return format
        }
    }

    private static func date(_ text: String, _ name: String, _ now: Int64) throws -> Date {
        Date(nanosecondsSinceEpoch: try LiveChannel.moment(text, name, now))
    }

    private func timeline(
        _ request: RouteRequest, _ name: ChannelName, _ recordings: Recordings, gapsOnly: Bool
    ) async throws -> RouteResponse {
        try request.requireRead()
        _ = try await recordings.status(of: name)
        guard let recording = recordings.recording(name) else { throw Problem.notFound("there is no channel \(name)") }
        let live = LiveChannel(recording: recording, name: name, query: request.query)
        let from = try request.queryItem("from").map { try live.moment($0, "from") }
        let to = try request.queryItem("to").map { try live.moment($0, "to") }
        // With segments of 2 s, a day has 43,200 per track, so the default is an hour, except for gaps.
        let start = from ?? (gapsOnly ? .min : (to ?? live.now) - 3_600_000_000_000)
        let pageRequest = try PageRequest(request)
        let position = try pageRequest.position(as: SortKey<String, Int64>.self)
        // One segment beyond the page shows whether another page follows.
        let limit = (pageRequest.limit ?? Self.maximumTimelineLength) + 1
        var segments: [TimelineRecord.Segment] = []
        for timeline in recording.timelines.sorted(by: { $0.track < $1.track }) where segments.count < limit {
            if let position, timeline.track < position.major { continue }
            let rows = try await timeline.segments(
                from: start, to: to ?? .max, after: timeline.track == position?.major ? position?.minor : nil,
                gapsOnly: gapsOnly, limit: limit - segments.count)
            segments += rows.map { row in
                TimelineRecord.Segment(
                    track: timeline.track, number: row.number, start: row.start / 1_000_000,
                    duration: Double(row.duration) / 1e9, gap: row.state == .gap,
                    discontinuity: row.isDiscontinuous, bytes: row.length)
            }
        }
        let page = try Page(segments, of: pageRequest, cap: Self.maximumTimelineLength) {
            SortKey($0.track, $0.number)
        }
        return try .json(TimelineRecord(segments: page.items, next: page.next), of: request)
    }

    private func record(_ status: RecordingStatus) throws -> ChannelRecord {
        ChannelRecord(status, base: try urls.liveURL(of: status.channel.name))
    }

    private func checked(_ retention: Retention) throws -> Retention {
        try Bounds.check(retention.seconds, Bounds.seconds, "seconds")
        try Bounds.check(retention.bytes, Bounds.bytes, "bytes")
        try Bounds.check(retention.segments, Bounds.segments, "segments")
        try Bounds.check(retention.freeBytes, Bounds.bytes, "freeBytes")
        guard retention.seconds != 0, retention.bytes != 0 else {
            throw Problem.badRequest("retention limits must be greater than 0")
        }
        return retention
    }

    /// Runs `work` and reports invalid settings as problems of the request.
    private func reportingInvalidSettings<Result>(
        as problem: (String) -> Problem = Problem.badRequest, _ work: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await work()
        } catch let error as CacheError where error.code == .invalidSetting {
            throw problem(error.message)
        }
    }
}
