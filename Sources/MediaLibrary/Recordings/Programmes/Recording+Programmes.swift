internal import MediaCache

/// A recording's programmes, as windows that are over.
extension Recording {
    /// A programme with what is known of its exports at this moment; nil where there is none of this ID.
    package func programme(_ id: String) -> Programme? {
        channel.programmes.first { $0.id == id }.map(work.exports.current)
    }

    /// What a player is given of a programme that is over, read two folders below the channel's.
    ///
    /// - Throws: ``OutsideRecording`` where nothing of it is kept.
    package func entry(of programme: Programme) throws -> String {
        let span = try span(of: programme)
        let isOver = isOver(at: span.upperBound)
        let folders = timelines.filter { $0.has((from: span.lowerBound, to: span.upperBound), isOver: isOver) }
            .map(\.track)
        return ChannelEntry.text(
            channel.entry, playlist: WindowRequest.name(from: span.lowerBound, to: span.upperBound),
            having: Set(folders), at: "../../")
    }

    /// What a programme consists of that is over, and when that is.
    ///
    /// - Throws: ``OutsideRecording`` where nothing of it is kept; `CacheError` with `storage`.
    func window(of programme: Programme) async throws -> (window: RecordedWindow, span: Range<Int64>) {
        let span = try span(of: programme)
        return (try await assembled(from: span.lowerBound, to: span.upperBound), span)
    }

    /// A programme's time, from where something of it is kept: recording may have begun in its midst.
    private func span(of programme: Programme) throws -> Range<Int64> {
        let span = programme.nanoseconds
        guard let first = kept(isOver: isOver(at: span.upperBound)).first(where: { $0.overlaps(span) }) else {
            throw outside("nothing of the programme “\(programme.name)” is kept")
        }
        return max(span.lowerBound, first.lowerBound)..<span.upperBound
    }

    /// How long exports wait for a silent track beyond their programme's end. They are made once.
    private static let silencePatience: Int64 = 60_000_000_000

    /// Whether a programme that ends at a moment can be exported: it's over, and each track has come to its end or has
    /// had its time.
    private func isExportable(at end: Int64) -> Bool {
        guard isOver(at: end) else { return false }
        let isWhole = timelines.allSatisfy { ($0.edgeTime ?? .min).clampedSum(Self.resolution - 1) >= end }
        return isWhole || !isRunning || present >= end.clampedSum(Self.silencePatience)
    }

    /// Has those made of what is wanted that are over.
    func exportWhatIsOver() async {
        let waiting = channel.programmes.filter { $0.exports.contains { $0.state == .waiting } }
        guard !waiting.isEmpty else { return }
        let due = waiting.filter { isExportable(at: $0.nanoseconds.upperBound) }.flatMap { programme in
            programme.exports.filter { $0.state == .waiting }.map {
                ProgrammeExports.Job(programme: programme.id, format: $0.format)
            }
        }
        if !due.isEmpty { await work.exports.add(due, of: self) }
    }

    /// Counts an attempt of an export durably, before it begins.
    ///
    /// - Returns: Whether fewer than `limit` were counted before; otherwise none is added.
    /// - Throws: `CacheError` with `storage`.
    func beginExport(_ job: ProgrammeExports.Job, atMost limit: Int) async throws -> Bool {
        let attempts = channel.programmes.first { $0.id == job.programme }?[job.format]?.attempts ?? 0
        guard attempts < limit else { return false }
        try await setAttempts(of: job, to: attempts + 1)
        return true
    }

    /// Forgets the attempts of an export that was stopped in order.
    ///
    /// - Throws: `CacheError` with `storage`.
    func forgetAttempts(of job: ProgrammeExports.Job) async throws { try await setAttempts(of: job, to: 0) }

    private func setAttempts(of job: ProgrammeExports.Job, to attempts: Int) async throws {
        try await change { channel in
            guard let index = channel.programmes.firstIndex(where: { $0.id == job.programme }) else { return }
            channel.programmes[index][job.format]?.attempts = attempts
        }
    }

    /// Writes down what became of an export, durably.
    ///
    /// - Returns: false where nobody wants it any more.
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
