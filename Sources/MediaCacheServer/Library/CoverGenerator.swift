import Logging
import MediaCache
import MediaLibrary

/// A generator of covers for completed downloads: the cover embedded in the file or, if a decoder is available, a frame
/// of the video. It doesn't replace existing covers.
struct CoverGenerator: Sendable {
    let downloads: Downloads
    let assetStore: AssetStore
    let frames: AssetFrames
    let logger: Logger

    func run() async {
        let completions = downloads.events {
            switch $0 {
            case .state(_, .complete), .state(_, .completeWithHoles): true
            default: false
            }
        }
        for await event in completions {
            guard case .state(let id, _) = event else { continue }
            do {
                try await generateCover(of: id)
            } catch {
                if Task.isCancelled { return }
                logger.info("no cover generated", metadata: ["asset": "\(id)", "error": "\(error)"])
            }
        }
    }

    private func generateCover(of id: AssetID) async throws {
        guard let asset = try await assetStore.asset(id), asset.cover == nil else { return }
        guard let cover = try await picture(of: asset) else { return }
        try await assetStore.setFirstCover(cover, of: id)
    }

    private func picture(of asset: Asset) async throws -> Cover? {
        if asset.kind != .stream, let cover = try? await frames.movies.embeddedCover(of: asset) { return cover }
        guard frames.queue.isAvailable else { return nil }
        return try await frames.frame(of: asset, at: nil)
    }
}
