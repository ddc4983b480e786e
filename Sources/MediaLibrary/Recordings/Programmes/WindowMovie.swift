internal import HLS
internal import MediaCache
internal import MediaContainers

/// A window of a recording as an MP4 file, with the recorded samples cut exactly at the window's start and end.
struct WindowMovie: Sendable {
    /// The properties of a written MP4.
    struct Written: Sendable {
        /// The number of unreadable or damaged segments, in addition to those lost during recording.
        var missing: Int
        var damaged: [ProgrammeExport.DamagedSegment]
        /// The duration in seconds.
        var seconds: Double
        var isAudioOnly: Bool
    }

    let window: RecordedWindow
    /// The time range in nanoseconds since 1970.
    let span: Range<Int64>

    /// Writes the MP4 file without syncing it. Blocks the calling thread. Missing segments become gaps.
    ///
    /// - Parameter onProgress: Called with the progress from 0 to 1.
    /// - Throws: `ContainerError`, with `inputOutput` if the operation is cancelled or the store is closed.
    func write(
        to path: String, from store: CacheStore, _ control: OperationControl, onProgress: (Double) -> Void
    ) throws -> Written {
        let index = ContentsIndex(window.contents)
        let resources = StoreResources(store, settings: store.transfers, control: control, contents: index)
        let plan = try StreamPlan(
            playlist: ContentsIndex.base + window.contents.entry, choice: .allOfAsset, resources: resources)
        guard let position = WindowPosition(of: playlists(of: plan, index), from: span.lowerBound, to: span.upperBound)
        else {
            throw ContainerError(.malformed, "the playlists of the window have no dates")
        }
        var remux = StreamRemux(plan, resources: resources)
        remux.missingParts = .leaveGaps
        let written = try remux.writeMovie(
            to: try FileSink(path: path), from: position.from, to: position.to, kinds: [.video, .audio],
            duration: plan.duration
        ) { (done, all) throws(ContainerError) in
            onProgress(Double(done) / Double(max(1, all)))
            do {
                try control.check()
                // Without this check, unreadable segments of a closed store would count as lost.
                try store.checkOpen()
            } catch {
                throw ContainerError(.inputOutput, "the export was interrupted", cause: error)
            }
        }
        return Written(
            missing: remux.missing.count + remux.damaged.count,
            damaged: remux.damaged.prefix(ProgrammeExport.maximumListed).map { damage in
                ProgrammeExport.DamagedSegment(
                    name: ContentsIndex.name(of: damage.part.url) ?? damage.part.url, start: damage.part.start,
                    duration: damage.part.duration, reason: damage.reason)
            },
            seconds: (position.to ?? plan.duration) - position.from,
            isAudioOnly: !written.kinds.contains(.video))
    }

    /// Returns the media playlists of a plan's inputs, beginning with the variant stream's.
    private func playlists(of plan: StreamPlan, _ index: ContentsIndex) -> [MediaPlaylist] {
        plan.locations.compactMap { location in
            let text = ContentsIndex.name(of: location).flatMap(index.playlist)?.text
            guard let text, case .media(let media) = try? PlaylistParser().parse(Array(text.utf8)).playlist else {
                return nil
            }
            return media
        }
    }
}
