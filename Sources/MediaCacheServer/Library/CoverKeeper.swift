import Logging
import MediaCache
import MediaContainers
import MediaLibrary

/// Gives assets a picture when their download is complete: the one that the file has in it, else one of its frames, where
/// something decodes them. One that is there stays.
struct CoverKeeper: Sendable {
    let downloads: Downloads
    let shelf: AssetShelf
    let frames: AssetFrames
    let logger: Logger

    /// Does so until the task is cancelled.
    func run() async {
        let completions = downloads.events { if case .state(_, .complete) = $0 { true } else { false } }
        for await event in completions {
            guard case .state(let id, .complete) = event else { continue }
            do {
                try await keepCover(of: id)
            } catch {
                if Task.isCancelled { return }
                logger.info("no cover", metadata: ["asset": "\(id)", "error": "\(error)"])
            }
        }
    }

    private func keepCover(of id: AssetID) async throws {
        guard let asset = try await shelf.asset(id), asset.cover == nil else { return }
        guard let cover = try await picture(of: asset) else { return }
        try await shelf.setFirstCover(cover, of: id)
    }

    private func picture(of asset: Asset) async throws -> Cover? {
        if asset.kind != .stream, let cover = try? await frames.movies.embeddedCover(of: asset) { return cover }
        guard frames.queue.isAble else { return nil }
        return try await frames.frame(of: asset, at: nil)
    }
}
