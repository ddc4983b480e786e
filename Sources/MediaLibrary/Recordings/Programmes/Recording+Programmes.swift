internal import MediaCache

extension Recording {
    /// Returns a programme with the current progress of its exports; nil if the ID is unknown.
    package func programme(_ id: String) -> Programme? {
        channel.programmes.first { $0.id == id }.map(dependencies.exports.current)
    }

    /// Returns the multivariant playlist of a finished programme. Its URIs are relative to a folder two levels below
    /// the channel's.
    ///
    /// - Throws: ``WindowOutOfRangeError`` if no part of the programme is recorded.
    package func entry(of programme: Programme) throws -> String {
        let span = try span(of: programme)
        let isOver = isOver(at: span.upperBound)
        let folders = timelines.filter { $0.has((from: span.lowerBound, to: span.upperBound), isOver: isOver) }
            .map(\.track)
        return ChannelEntry.text(
            channel.entry, playlist: WindowRequest.name(from: span.lowerBound, to: span.upperBound),
            having: Set(folders), at: "../../")
    }

    /// Returns the contents and the time range of a finished programme.
    func window(of programme: Programme) async throws -> (window: RecordedWindow, span: Range<Int64>) {
        let span = try span(of: programme)
        return (try await assembled(from: span.lowerBound, to: span.upperBound), span)
    }

    /// Returns a programme's time range without an unrecorded beginning, since the recording may have started later.
    private func span(of programme: Programme) throws -> Range<Int64> {
        let span = programme.nanoseconds
        guard let first = coveredRanges(isOver: isOver(at: span.upperBound)).first(where: { $0.overlaps(span) }) else {
            throw outside("no part of the programme “\(programme.name)” is recorded")
        }
        return max(span.lowerBound, first.lowerBound)..<span.upperBound
    }

    /// The time that an export waits for silent tracks after the programme's end, in nanoseconds.
    private static let silencePatience: Int64 = 60_000_000_000

    /// Returns whether a programme with this end is over, and its export needn't wait for any track.
    private func isExportable(at end: Int64) -> Bool {
        guard isOver(at: end) else { return false }
        let isWhole = timelines.allSatisfy { ($0.edgeTime ?? .min).clampedSum(Self.resolution - 1) >= end }
        return isWhole || !isRunning || streamTime >= end.clampedSum(Self.silencePatience)
    }

    /// Queues the pending exports of programmes that have ended.
    func exportFinishedProgrammes() async {
        let waiting = channel.programmes.filter { $0.exports.contains { $0.state == .waiting } }
        let due = waiting.filter { isExportable(at: $0.nanoseconds.upperBound) }.flatMap { programme in
            programme.exports.filter { $0.state == .waiting }.map {
                ProgrammeExports.Job(programme: programme.id, format: $0.format)
            }
        }
        if !due.isEmpty { await dependencies.exports.add(due, of: self) }
    }

    /// Durably counts an attempt to export before it begins.
    ///
    /// - Returns: False, without counting the attempt, if `limit` attempts were counted before.
    func beginExport(_ job: ProgrammeExports.Job, atMost limit: Int) async throws -> Bool {
        let attempts = channel.programmes.first { $0.id == job.programme }?[job.format]?.attempts ?? 0
        guard attempts < limit else { return false }
        try await setAttempts(of: job, to: attempts + 1)
        return true
    }

    /// Resets the attempts of an export that was stopped.
    func forgetAttempts(of job: ProgrammeExports.Job) async throws { try await setAttempts(of: job, to: 0) }

    private func setAttempts(of job: ProgrammeExports.Job, to attempts: Int) async throws {
        try await change { channel in
            guard let index = channel.programmes.firstIndex(where: { $0.id == job.programme }) else { return }
            channel.programmes[index][job.format]?.attempts = attempts
        }
    }

    /// Stores the result of an export durably. Returns whether the export is still requested.
    func settle(_ export: ProgrammeExport, of id: String) async throws -> Bool {
        try await change { channel in
            guard let index = channel.programmes.firstIndex(where: { $0.id == id }),
                channel.programmes[index][export.format]?.state == .waiting
            else { return }
            channel.programmes[index][export.format] = export
        }
        return channel.programmes.first { $0.id == id }?[export.format] == export
    }
}
