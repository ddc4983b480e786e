import MediaCacheAPI
import Synchronization

/// Prints what happens to downloads as lines of JSON.
final class GetEventPrinter: Sendable {
    private let last = Mutex<[String: DownloadRecord]>([:])

    /// Prints what is new of downloads.
    ///
    /// - Throws: ``CommandFailure`` where standard output can't be written.
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
