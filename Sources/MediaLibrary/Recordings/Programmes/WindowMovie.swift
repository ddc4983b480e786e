internal import HLS
internal import MediaCache
internal import MediaContainers

/// A window of a recording as one MP4 on a disk: its samples as they are, from the exact moment to the exact moment.
struct WindowMovie: Sendable {
    /// What was written.
    struct Written: Sendable {
        /// The number of segments that couldn't be read or are damaged, beside those that were lost in recording.
        var missing: Int
        /// The damaged ones.
        var damaged: [ProgrammeExport.DamagedSegment]
        /// How long it lasts.
        var seconds: Double
        /// Whether it has no pictures.
        var isSound: Bool
    }

    /// What the window consists of.
    let window: RecordedWindow
    /// When it is, in nanoseconds since 1970.
    let span: Range<Int64>

    /// Writes it, on a thread that may wait. What was lost stays a gap.
    ///
    /// - Parameters:
    ///   - path: the file to make; it isn't synced.
    ///   - store: where the segments are kept.
    ///   - control: what ends the work.
    ///   - onProgress: gets how much of it is done, from 0 to 1.
    /// - Throws: `ContainerError`.
    func write(
        to path: String, from store: CacheStore, _ control: WorkControl, onProgress: (Double) -> Void
    ) throws -> Written {
        let index = ContentsIndex(window.contents)
        let resources = StoreResources(store, settings: store.transfers, control: control, contents: index)
        let plan = try StreamPlan(
            playlist: ContentsIndex.base + window.contents.entry, choice: .allOfAsset, resources: resources)
        guard let place = WindowPlace(of: playlists(of: plan, index), from: span.lowerBound, to: span.upperBound) else {
            throw ContainerError(.malformed, "its playlists don't say when their segments were")
        }
        var remux = StreamRemux(plan, resources: resources)
        remux.missingParts = .leaveGaps
        let written = try remux.writeMovie(
            to: try FileSink(path: path), from: place.from, to: place.to, kinds: [.video, .audio],
            lasting: plan.duration
        ) { (done, all) throws(ContainerError) in
            onProgress(Double(done) / Double(max(1, all)))
            do {
                try control.check()
                // Else all that can't be read since would count as lost.
                try store.checkOpen()
            } catch {
                throw ContainerError(.inputOutput, "interrupted", cause: error)
            }
        }
        return Written(
            missing: remux.missing.count + remux.damaged.count,
            damaged: remux.damaged.prefix(ProgrammeExport.mostListed).map { damage in
                ProgrammeExport.DamagedSegment(
                    name: ContentsIndex.name(of: damage.part.url) ?? damage.part.url, start: damage.part.start,
                    duration: damage.part.duration, reason: damage.reason)
            },
            seconds: (place.to ?? plan.duration) - place.from,
            isSound: !written.kinds.contains(.video))
    }

    /// The playlists of a plan's inputs, that of the variant stream first.
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
