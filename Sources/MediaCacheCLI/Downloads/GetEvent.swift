import MediaCacheAPI
import MediaLibrary
import Synchronization

/// A line of `get --json`.
struct GetEvent: Encodable, Sendable {
    enum Kind: String, Encodable, Sendable {
        case state
        case progress
        /// The last event of a download.
        case result
    }

    private var kind: Kind
    private var url: String
    private var record: DownloadRecord?
    private var outcome: GetOutcome?

    init(_ kind: Kind, _ record: DownloadRecord) {
        self.kind = kind
        url = record.url
        self.record = record
    }

    init(_ outcome: GetOutcome) {
        kind = .result
        url = outcome.url
        record = outcome.record
        self.outcome = outcome
    }

    private enum CodingKeys: String, CodingKey {
        case event, asset, url, title, kind, state, reason, bytes, length, isLengthExact, partsDone, parts, rate
        case complete, holeCount, holes, notes, output, method, remux, error
    }

    func encode(to encoder: any Encoder) throws {
        // The result of a file includes the keys of `info --json`.
        try outcome?.resource?.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(kind, forKey: .event)
        try container.encode(url, forKey: .url)
        if let record {
            try container.encode(record.id, forKey: .asset)
            try container.encodeIfPresent(record.title, forKey: .title)
            try container.encodeIfPresent(record.kind, forKey: .kind)
            try container.encode(record.state, forKey: .state)
            try container.encodeIfPresent(record.reason, forKey: .reason)
            try container.encode(record.isLengthExact, forKey: .isLengthExact)
            try container.encode(record.partsDone, forKey: .partsDone)
            try container.encode(record.parts, forKey: .parts)
        }
        let bytes = record?.bytes ?? outcome?.resource?.bytesCached ?? 0
        try container.encode(bytes, forKey: .bytes)
        try container.encodeIfPresent(record?.length ?? outcome?.resource?.length, forKey: .length)
        guard let outcome else {
            try container.encodeIfPresent(record?.rate, forKey: .rate)
            return
        }
        try container.encode(outcome.isComplete, forKey: .complete)
        try container.encode(record?.holeCount ?? 0, forKey: .holeCount)
        try container.encodeIfPresent(record?.holes, forKey: .holes)
        try container.encodeIfPresent(record?.notes, forKey: .notes)
        try container.encodeIfPresent(outcome.output, forKey: .output)
        try container.encodeIfPresent(outcome.method, forKey: .method)
        try container.encodeIfPresent(outcome.remux, forKey: .remux)
        try container.encodeIfPresent(outcome.failure?.message, forKey: .error)
    }
}

/// A printer of download events as lines of JSON.
final class GetEventPrinter: Sendable {
    private let last = Mutex<[String: DownloadRecord]>([:])

    func show(_ records: [DownloadRecord]) throws {
        let lines = try last.withLock { last in
            try records.compactMap { record -> String? in
                let before = last.updateValue(record, forKey: record.id)
                if before?.state != record.state { return try JSONOutput.line(GetEvent(.state, record)) }
                guard before?.bytes != record.bytes || before?.partsDone != record.partsDone else { return nil }
                return try JSONOutput.line(GetEvent(.progress, record))
            }
        }
        for line in lines { try StandardStreams.print(line) }
    }
}
