import Dispatch
import Foundation
import MediaCache
import Observation

/// The state of the app: the media model once the store is open, and the reaction to the phases of the app.
@MainActor @Observable
final class AppModel {
    /// A phase of the app, as `ScenePhase` of SwiftUI.
    enum Phase {
        case active
        /// In the foreground, but without input: before the app enters the background, but also while an alert or
        /// Control Center is visible.
        case inactive
        case background
    }

    private(set) var media: MediaModel?
    private(set) var problem: String?

    #if os(macOS)
        @ObservationIgnored private var phase = Phase.active
    #else
        @ObservationIgnored private var phase = Phase.background
    #endif
    /// The last of the operations that run in order: the opening of the store, and changes of the phase.
    @ObservationIgnored private var lastOperation: Task<Void, Never>?

    /// Opens the store. The system may launch the app without a window, to deliver the files of background transfers,
    /// so no view opens it.
    init() {
        enqueue { app in
            let titles = [
                ("A film", "https://example.org/film.mp4"), ("A stream", "https://example.org/stream/index.m3u8"),
            ].compactMap { name, text in URL(string: text).map { MediaModel.Title(name: name, url: $0) } }
            do {
                let media = try await MediaModel(titles)
                app.media = media
                if app.phase == .active { await media.resume() }
            } catch {
                app.problem = "\(error)"
            }
        }
    }

    /// Reacts to a change of the app's phase. Calls run in order.
    func enter(_ phase: Phase) {
        #if os(macOS)
            // The system doesn't suspend apps.
        #else
            enqueue { app in
                let previous = app.phase
                app.phase = phase
                guard let media = app.media, phase != previous else { return }
                switch phase {
                case .active: await media.resume()
                case .inactive:
                    // Often, the app only stays inactive for a moment. In the background it is too late, though: the
                    // system treats transfers that begin there as discretionary.
                    if previous == .active { await media.handOverDownloads() }
                case .background: app.suspend(media, handsOver: previous == .active)
                }
            }
        #endif
    }

    /// Adds the files of background transfers to the store, when the system has resumed or launched the app for them.
    /// The system suspends the app when this returns. Files that aren't stored in time are stored at the next launch.
    func storeTransferredFiles() async {
        await lastOperation?.value
        // Not one of the operations, because the app may become active while it waits for the system.
        await withTaskCancellationHandler {
            await media?.storeTransferredFiles()
        } onCancel: {
            Task { @MainActor in await suspendInBackground() }
        }
        await suspendInBackground()
    }

    private func suspendInBackground() async {
        await enqueue { app in
            if app.phase == .background, app.media?.isPlaying == false { await app.media?.suspend() }
        }.value
    }

    #if !os(macOS)
        /// Suspends the media model once nothing plays. While audio or a picture in picture plays in the background, or
        /// video over AirPlay, the system doesn't suspend the app, and the player needs the server. A player that has
        /// run out of data needs it, too, but the system grants the app only some time for that.
        private func suspend(_ media: MediaModel, handsOver: Bool) {
            Task {
                repeat {
                    while phase == .background, media.isPlaying { try? await Task.sleep(for: .seconds(1)) }
                    await withBackgroundTime("waiting for media") {
                        for _ in 0..<20 where phase == .background && media.isStalled {
                            try? await Task.sleep(for: .seconds(1))
                        }
                    }
                } while phase == .background && media.isPlaying
                await enqueue { app in
                    guard app.phase == .background else { return }
                    await app.withBackgroundTime("closing the cache") {
                        if handsOver { await media.handOverDownloads() }
                        await media.suspend()
                    }
                }.value
            }
        }

        /// Performs an operation that must complete before the system suspends the app. The system grants it some time,
        /// as long as the activity's block hasn't returned.
        private func withBackgroundTime(_ reason: String, _ operation: () async -> Void) async {
            let done = DispatchSemaphore(value: 0)
            ProcessInfo.processInfo.performExpiringActivity(withReason: reason) { @Sendable isExpired in
                if !isExpired { done.wait() }
            }
            await operation()
            done.signal()
        }
    #endif

    /// Starts an operation after the previous ones.
    @discardableResult
    private func enqueue(_ operation: @escaping @MainActor (AppModel) async -> Void) -> Task<Void, Never> {
        let previous = lastOperation
        let task = Task {
            await previous?.value
            await operation(self)
        }
        lastOperation = task
        return task
    }
}
